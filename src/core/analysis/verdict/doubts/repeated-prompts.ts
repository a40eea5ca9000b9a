/** Prompts that the sweep itself asked more than once (own ones, or M3 switched off), read much sooner than when they were new: a cache answered (R24). */
import type { ModelCall } from '../../../session/timeline.ts'
import type { Cell } from '../../../sweep/plan.ts'
import { promptFor } from '../../../sweep/prompts.ts'
import type { TurnRow } from '../../../sweep/turn-row.ts'
import { median } from '../../statistics/percentiles.ts'
import type { CaseFile } from '../case-file.ts'
import { count, duration, percent } from '../phrases.ts'
import type { Doubt } from './doubt.ts'

/** Looked at before all are: a sweep that repeats prompts does so from the start. */
const PROBED_ROWS = 100
/** What decides whether a cache knows a prompt; the numbering of a sweep lies within (M3). */
const BEGINNING_CHARS = 256
/** Read in less than this share of the time that the same prompts took when they were new, and sooner by at least this; less is noise. */
const QUICK_RATIO = 0.5
const QUICK_MS = 20
const FEWEST_REPEATS = 2

type Asked = { readonly beginning: string; readonly call: ModelCall }

export function repeatedPrompts({ state }: CaseFile): Doubt | null {
  const cells = new Map(state.cells.map(({ cell }) => [cell.index, cell]))
  const beginningOf = (row: TurnRow): string | null => {
    const cell: Cell | undefined = cells.get(row.cell)
    return cell === undefined || cell.leg === 'null' ? null : promptFor(state.plan, cell, row.wave, row.session, row.turn).slice(0, BEGINNING_CHARS)
  }
  const probe = state.rows.slice(0, PROBED_ROWS).flatMap((row) => beginningOf(row) ?? [])
  if (new Set(probe).size === probe.length) return null
  const asked = state.rows.flatMap((row): Asked[] => {
    const beginning = beginningOf(row)
    const call = row.timeline?.calls[0]
    return beginning === null || call === undefined || !isTold(call) ? [] : [{ beginning, call }]
  })
  return compare(asked)
}

const isTold = (call: ModelCall) => call.server !== null && call.outcome === 'completed' && (call.promptTokens ?? 0) > 0

/** The first time that a prompt was asked, warm-up included, against all later ones. */
function compare(asked: readonly Asked[]): Doubt | null {
  const seen = new Set<string>()
  const [fresh, again]: [number[], number[]] = [[], []]
  for (const { beginning, call } of asked.toSorted((a, b) => a.call.sentAtMs - b.call.sentAtMs)) {
    const readMs = (call.server?.promptEvalNs ?? 0) / 1e6
    if (seen.has(beginning)) again.push(readMs)
    else fresh.push(readMs)
    seen.add(beginning)
  }
  const [freshMs, againMs] = [median(fresh) ?? 0, median(again) ?? 0]
  if (again.length < FEWEST_REPEATS || againMs >= QUICK_RATIO * freshMs || freshMs - againMs < QUICK_MS) return null
  return {
    mechanism: 'prefix cache answers',
    sentence: `The sweep asked the same prompts again and again, and the server answered them out of its cache: reading one took ${duration(againMs)}, when it was new ${duration(freshMs)}, so time to first token and total rate flatter.`,
    toSettle: 'Sweep with prompts that all begin differently.',
    evidence: [
      `${count(seen.size, 'prompt')} in ${count(asked.length, 'request')}; ${percent(again.length / asked.length)} of the requests asked what had been asked before.`,
      `A prompt took ${duration(freshMs)} to read when it was new, ${duration(againMs)} afterwards.`,
    ],
  }
}
