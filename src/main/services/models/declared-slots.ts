/**
 * How many requests a server says it serves at once, and where that was read (M11). Pure. Only what was read counts:
 * a default is taken for granted only where the variable was seen to be unset and the version is known.
 */
import { defaultSlots, isVersionKnown } from '../../../core/model-servers/ollama-slots.ts'
import type { ListeningProcess } from './listening-process.ts'

export interface DeclaredSlots {
  readonly slots: number
  readonly source: string
}

/** @param forced why the model gets one slot whatever is set; null = it does not */
export function declaredSlots(process: ListeningProcess | null, version: string | null, forced: string | null = null): DeclaredSlots | null {
  if (process === null) return null
  // What the model was really started with comes before what was asked for: some families are forced to one slot.
  const started = [process.args, ...process.childArgs].flatMap(slotsInArgs)
  const first = started[0]
  if (first !== undefined && started.every((slots) => slots === first)) return { slots: first, source: "the command line of the model's process" }
  const set = configuredSlots(process)
  if (forced !== null && isVersionKnown(version) && isOllama(process)) return { slots: 1, source: `the model itself: ${forced}` }
  if (set !== null) return { slots: set, source: "OLLAMA_NUM_PARALLEL of the server's process" }
  if (process.env === null || !isOllama(process)) return null
  // 0 and unset mean the default; where that is chosen by the memory, nothing is known.
  const standard = defaultSlots(version)
  return standard.kind === 'fixed'
    ? { slots: standard.slots, source: `the default of Ollama ${version}, where OLLAMA_NUM_PARALLEL is not set` }
    : null
}

/** What the process was told; null = nothing, or it may not be read. */
export function configuredSlots(process: ListeningProcess | null): number | null {
  const set = Number(process?.env?.get('OLLAMA_NUM_PARALLEL') ?? '0')
  return Number.isInteger(set) && set > 0 ? set : null
}

/** Loopback ports on which llama-server children of the process listen: Ollama starts one for each model from 0.30 on, without a key. */
export function llamaServerPorts(process: ListeningProcess | null): number[] {
  return (process?.childArgs ?? []).flatMap((args) => {
    if (!/llama-server(\.exe)?$/.test(args[0] ?? '')) return []
    const port = Number(args[args.indexOf('--port') + 1])
    return args.includes('--port') && Number.isInteger(port) && port > 0 ? [port] : []
  })
}

/** `-np 4` and `--parallel 4` of llama-server and of Ollama's own runner. */
function slotsInArgs(args: readonly string[]): number[] {
  const at = args.findIndex((arg) => arg === '-np' || arg === '--parallel')
  const slots = at === -1 ? Number.NaN : Number(args[at + 1])
  return Number.isInteger(slots) && slots > 0 ? [slots] : []
}

function isOllama(process: ListeningProcess): boolean {
  return /(^|\/)ollama(\.exe)?$/.test(process.args[0] ?? '')
}
