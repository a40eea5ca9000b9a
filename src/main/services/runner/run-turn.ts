/**
 * What happens in an admitted turn, from top to bottom: model calls with tools until the answer is whole, then the background work.
 * Ends with a value, whatever happened; the runner turns it into the turn's last event.
 */
import type { Message } from 'ollama'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { builtInEngine } from '../../../core/session/built-in-address.ts'
import type { CallPurpose } from '../../../core/session/timeline.ts'
import type { Engine } from '../../../core/sweep/target.ts'
import type { Clock } from '../../platform/clock.ts'
import { type HttpClient, type HttpOrigin, parseOrigin } from '../../platform/http-client.ts'
import { memoryPrompt, oneLine, titlePrompt } from './background-prompts.ts'
import { type Abilities, type ModelAbilities, UNKNOWN_ABILITIES } from './model-abilities.ts'
import { callModel } from './model-call.ts'
import type { ModelCallListener, ModelCallRequest, ModelCallResult } from './model-call-shapes.ts'
import { callOpenAi } from './openai-call.ts'
import type { RunnerFaults } from './runner-faults.ts'
import type { Ending, Turn } from './turn.ts'
import { openWorkspaceTools, type WorkspaceTools } from './workspace-tools.ts'

export interface TurnDeps {
  readonly clock: Clock
  readonly http: HttpClient
  readonly abilities: ModelAbilities
  readonly faults: RunnerFaults
  readonly builtInServer?: ((engine: Engine, model: string) => Promise<Result<string, Problem>>) | undefined
  /** The key under this name; absent: this runner has none. */
  readonly readKey?: ((name: string) => Result<string, Problem>) | undefined
}

const COMPLETED: Ending = { outcome: 'completed', problem: null }

export async function runTurn(deps: TurnDeps, turn: Turn): Promise<Ending> {
  turn.session.emit(turn.id, { type: 'turn-started' })
  const unreached = await reachServer(deps, turn)
  if (unreached !== undefined) return turn.stopped ?? unreached
  const key = keyOf(deps, turn)
  if (!key.ok) return { outcome: 'failed', problem: key.error }
  const failed = await answer(deps, turn)
  if (failed !== undefined) return turn.stopped ?? failed
  turn.step('answered')
  turn.session.emit(turn.id, { type: 'turn-done' }, turn.doneAtMs ?? undefined)
  await runBackground(deps, turn)
  return turn.stopped ?? COMPLETED
}

/** Finds out where a built-in server stands, which may have to start first. @returns undefined when the session has an address */
async function reachServer({ builtInServer }: TurnDeps, turn: Turn): Promise<Ending | undefined> {
  const { session } = turn
  const engine = builtInEngine(session.settings.serverUrl)
  if (engine === undefined) return undefined
  const missing: Result<string, Problem> = err(noBuiltIn(engine))
  const url = builtInServer === undefined ? missing : await unlessStopped(turn, builtInServer(engine, session.settings.model), missing)
  const origin = url.ok ? parseOrigin(url.value) : url
  if (!origin.ok) return { outcome: 'failed', problem: origin.error }
  session.server = origin.value
  return turn.stopped
}

function noBuiltIn(engine: Engine): Problem {
  return problem('no-built-in-server', `This runner has no built-in ${engine} server.`, '', 'Choose a model server by its address.')
}

/** The address, known since `reachServer`. */
function serverOf(turn: Turn): HttpOrigin {
  if (turn.session.server === null) throw new Error('A turn asks for its server before it was reached.')
  return turn.session.server
}

/** @returns undefined when the answer is whole */
async function answer(deps: TurnDeps, turn: Turn): Promise<Ending | undefined> {
  const { session } = turn
  let tools: WorkspaceTools | undefined
  if (session.settings.workspace !== null) {
    const offered = await offerTools(deps, turn, session.settings.workspace)
    if ('outcome' in offered) return offered
    tools = offered.tools
  }
  for (let step = 1; step <= session.settings.maxSteps; step += 1) {
    const result = await call(deps, turn, 'answer', messagesOf(turn), tools)
    if (result.call.outcome !== 'completed') return { outcome: result.call.outcome, problem: result.call.problem }
    if (result.toolCalls.length === 0) {
      turn.doneAtMs = result.call.endAtMs
      return undefined
    }
    for (const asked of result.toolCalls) {
      await runTool(deps, turn, tools, asked.function.name, asked.function.arguments)
      if (turn.stopped !== undefined) return turn.stopped
    }
  }
  return { outcome: 'failed', problem: tooManySteps(session.settings.maxSteps) }
}

function messagesOf(turn: Turn): Message[] {
  const { systemPrompt } = turn.session.settings
  const conversation = turn.session.conversation.messagesFor(turn.id) as Message[]
  return systemPrompt === null ? conversation : [{ role: 'system', content: systemPrompt }, ...conversation]
}

/** Tools go along only where the server says that the model knows what to do with them; else the turn goes on without, and says so. */
async function offerTools(deps: TurnDeps, turn: Turn, folder: string): Promise<Ending | { tools: WorkspaceTools | undefined }> {
  const { session } = turn
  const opened = await openWorkspaceTools(folder)
  if (!opened.ok) return { outcome: 'failed', problem: opened.error }
  const abilities = await abilitiesOf(deps, turn)
  if (turn.stopped !== undefined) return turn.stopped
  if (abilities.tools === true) return { tools: opened.value }
  const why =
    abilities.tools === false
      ? `The model ${session.settings.model} has no tools, so it can't look into ${folder}: it answers without. A model that has them shows "tools" in \`ollama show\`.`
      : `The server does not say whether ${session.settings.model} has tools: it answers without looking into ${folder}.`
  session.emit(turn.id, { type: 'notice', text: why })
  return { tools: undefined }
}

function abilitiesOf(deps: TurnDeps, turn: Turn): Promise<Abilities> {
  const key = keyOf(deps, turn)
  const wire = turn.session.settings.api === 'openai' ? ({ api: 'openai', key: key.ok ? key.value : undefined } as const) : undefined
  return unlessStopped(turn, deps.abilities.of(serverOf(turn), turn.session.settings.model, wire), UNKNOWN_ABILITIES)
}

/** What is slow to come holds no turn that was stopped: then `instead` counts, and the caller looks at `turn.stopped`. */
async function unlessStopped<T>(turn: Turn, coming: Promise<T>, instead: T): Promise<T> {
  let onAbort = () => {}
  const stopped = new Promise<T>((resolve) => {
    onAbort = () => resolve(instead)
    turn.signal.addEventListener('abort', onAbort)
  })
  const value = await Promise.race([coming, stopped])
  turn.signal.removeEventListener('abort', onAbort)
  return value
}

async function call(
  deps: TurnDeps,
  turn: Turn,
  purpose: CallPurpose,
  messages: Message[],
  tools: WorkspaceTools | undefined,
  think?: boolean,
): Promise<ModelCallResult> {
  const { session } = turn
  const { settings } = session
  const index = turn.callsBegun
  turn.callsBegun += 1
  const maxTokens = purpose === 'answer' ? settings.maxOutputTokens : settings.maxBackgroundTokens
  const options = maxTokens === null ? settings.options : { ...settings.options, num_predict: maxTokens }
  const request = { index, purpose, origin: serverOf(turn), model: settings.model, messages, tools: tools?.definitions ?? [], think, options }
  const result = await send(deps, turn, request, {
    onSent(atMs) {
      turn.firstModelRequestAtMs ??= atMs
      session.emit(turn.id, { type: 'call-sent', call: index, purpose, model: settings.model }, atMs)
    },
    onDelta(channel, text, atMs) {
      if (purpose === 'answer') turn.firstActivityAtMs ??= atMs
      session.emit(turn.id, { type: 'delta', call: index, channel, text }, atMs)
      deps.faults.atDelta()
    },
  })
  turn.calls.push(result.call)
  return result
}

/** On the wire that the session's server speaks. */
function send(deps: TurnDeps, turn: Turn, request: ModelCallRequest, listener: ModelCallListener): Promise<ModelCallResult> {
  if (turn.session.settings.api !== 'openai') return callModel(deps, request, turn.signal, listener)
  const key = keyOf(deps, turn)
  return callOpenAi(deps, { ...request, key: key.ok ? key.value : undefined }, turn.signal, listener)
}

/** Looked up for each call, kept nowhere. Undefined = the session names none. */
function keyOf({ readKey }: TurnDeps, turn: Turn): Result<string | undefined, Problem> {
  const { keyName } = turn.session.settings
  if (keyName === undefined) return ok(undefined)
  return readKey?.(keyName) ?? err(problem('key-missing', 'This runner has no keys.', '', 'Leave the key out, or start Plimsoll with it.'))
}

async function runTool(
  deps: TurnDeps,
  turn: Turn,
  tools: WorkspaceTools | undefined,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { session } = turn
  const tool = turn.tools.length
  const startAtMs = deps.clock.nowMs()
  session.emit(turn.id, { type: 'tool-started', tool, name, input: JSON.stringify(input ?? {}) }, startAtMs)
  const { ok, summary, output } =
    tools === undefined
      ? { ok: false, summary: 'no tools were offered', output: 'Error: no tools are available in this session. Answer without tools.' }
      : await deps.faults.tool(() => tools.run(name, input ?? {}, turn.signal))
  const endAtMs = deps.clock.nowMs()
  turn.tools.push({ name, startAtMs, endAtMs, ok, summary })
  turn.firstActivityAtMs ??= endAtMs
  session.emit(turn.id, { type: 'tool-ended', tool, ok, summary, output }, endAtMs)
}

/** A failure here does not undo the answer: it stands in the call's record and in a notice. */
async function runBackground(deps: TurnDeps, turn: Turn): Promise<void> {
  const { session } = turn
  const { background } = session.settings
  const wantsTitle = background.title && !session.titled
  if (!wantsTitle && !background.memory) return
  // A model that thinks would spend the few tokens on its thoughts.
  const abilities = await abilitiesOf(deps, turn)
  const think = abilities.thinking === true ? false : undefined
  const conversation = session.conversation.messagesFor(turn.id)
  if (wantsTitle && turn.stopped === undefined) {
    const title = oneLine(await ask('title', titlePrompt(conversation)))
    if (title !== '') {
      session.titled = true
      session.emit(turn.id, { type: 'title', title })
    }
  }
  if (background.memory && turn.stopped === undefined) {
    const note = (await ask('memory', memoryPrompt(conversation))).trim()
    if (note !== '') session.emit(turn.id, { type: 'memory', note })
  }

  async function ask(purpose: 'title' | 'memory', prompt: string): Promise<string> {
    const result = await call(deps, turn, purpose, [{ role: 'user', content: prompt }], undefined, think)
    if (result.call.outcome === 'completed') return result.text
    if (result.call.problem !== null) session.emit(turn.id, { type: 'notice', text: `No ${purpose} could be had. ${result.call.problem.happened}` })
    return ''
  }
}

function tooManySteps(maxSteps: number) {
  return problem(
    'too-many-steps',
    `The model asked for tools in ${maxSteps} calls one after another without coming to an answer.`,
    '',
    'Ask something smaller, or allow more steps in the session.',
  )
}
