/**
 * What the sessions of a sweep say. Every prompt follows from the plan and its place in it, and begins unlike every other (M3), so that no prefix cache
 * can answer for the model. Plain short words: one token each in most vocabularies, the generated model's included.
 */
import { isSustained } from './load-cells.ts'
import type { Cell, SweepPlan } from './plan.ts'
import { createSeededRandom, hash128, scramble32 } from './seeded-random.ts'
import { mostTurnsOf, playOf, type SessionPlay } from './workloads.ts'

/** At most five letters each: five of them and their blanks fit into 32 characters. */
const WORDS = (
  'with from this that then else let const async await class new file test build error token model agent cache batch queue run plan code line patch merge ' +
  'fast slow small large first last next value index loop list map key node tree path read write open close send start stop wait ready done ' +
  'true false null zero one two three data time step pass fail warn fix check the a of to and in is it for on as by at be are not or if'
).split(' ')

/** Words at the start of each prompt that number it; 87 words to the fifth power are more than the 2^32 numbers there are. */
const NUMBERING_WORDS = 5

const QUESTION = 'if this is a list of steps, then is the first step fast or slow?'
/** For sessions with tools: there is a folder of notes to look into. */
const AGENT_QUESTIONS = [
  'list the files of this folder, read the one that names the queue, then say in one sentence what it holds.',
  'now search the folder for the word patch and say which file has it.',
]

/** Sessions of cells that were added while the sweep ran are numbered behind all planned ones, this many apart. */
const ADDED_CELL_STRIDE = 1 << 20

/**
 * @param turn counts from 0 within the session; of a sustained load from 0 within the cell
 * @returns a numbering of its own, then what the workload says there
 */
export function promptFor(plan: SweepPlan, cell: Cell, wave: number, session: number, turn = 0): string {
  const { promptPool } = plan.request.faults
  // The fault switch breaks M3 on purpose: a few prompts, the same in all cells and waves.
  const repeated = promptPool === undefined ? undefined : session % promptPool
  const place = `${plan.seed}/${plan.sweepId}/${repeated ?? `${cell.index}/${wave}/${session}/${turn}`}`
  const words = startWords(plan, repeated ?? numberOf(plan, cell, wave, session, turn))
  const play = playOf(plan, cell, isSustained(cell) ? turn : wave, session)
  const given = givenPrompt(plan, cell, play, wave, session, turn)
  if (given !== undefined) return `${words.join(' ')} ${given}`
  const question = play.kind === 'agent' ? AGENT_QUESTIONS[turn % AGENT_QUESTIONS.length] : QUESTION
  const random = createSeededRandom(place)
  const wanted = Math.max(0, play.promptTokens - (question ?? QUESTION).split(' ').length)
  while (words.length < wanted) words.push(WORDS[random.int(WORDS.length)] ?? '')
  return `${words.join(' ')} ${question}`
}

/** Own prompts are taken in turn, over sessions, waves and turns; a recorded session says its turns in their order. */
function givenPrompt({ workload }: SweepPlan, cell: Cell, play: SessionPlay, wave: number, session: number, turn: number): string | undefined {
  const prompts = workload.prompts ?? []
  if (prompts.length === 0 || (play.kind !== 'file' && play.kind !== 'replay')) return undefined
  const at = play.kind === 'replay' ? turn % play.turns : (wave + turn) * cell.n + session
  return prompts[at % prompts.length]
}

/** The session's model and options: variants are taken in turn, so that a wave mixes them evenly. */
export function variantFor(plan: SweepPlan, model: string, session: number): { model: string; options: SweepPlan['workload']['options'] } {
  const { variants, options } = plan.workload
  const variant = variants.length === 0 ? undefined : variants[session % variants.length]
  return variant === undefined ? { model, options } : { model: variant.model, options: { ...options, ...variant.options } }
}

/** A number that no other prompt of the sweep has, as long as there are fewer than 2^32. */
function numberOf(plan: SweepPlan, cell: Cell, wave: number, session: number, turn: number): number {
  const turns = mostTurnsOf(plan.workload)
  let before = 0
  for (const other of plan.cells) if (other.index < cell.index) before += isSustained(other) ? ADDED_CELL_STRIDE : other.n * other.waves * turns
  const added = Math.max(0, cell.index - plan.cells.length)
  const within = isSustained(cell)
    ? turn * cell.n + session
    : (wave * cell.n + session) * turns + (turn % turns) + Math.floor(turn / turns) * (1 << 28)
  return before + added * ADDED_CELL_STRIDE + within
}

/** The number as words, scrambled first so that neighbours differ from the first word on. */
function startWords(plan: SweepPlan, number: number): string[] {
  const [key] = hash128(`${plan.seed}/${plan.sweepId}`)
  let rest = scramble32((number ^ key) >>> 0)
  const words: string[] = []
  for (let i = 0; i < NUMBERING_WORDS; i++) {
    words.push(WORDS[rest % WORDS.length] ?? '')
    rest = Math.floor(rest / WORDS.length)
  }
  return words
}
