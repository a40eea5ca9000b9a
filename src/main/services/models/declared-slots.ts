/**
 * How many requests a server says it serves at once, and where that was read (M11). Pure. Only what was read counts:
 * a default is taken for granted only where the variable was seen to be unset and the version is known.
 */
import type { ListeningProcess } from './listening-process.ts'

export interface DeclaredSlots {
  readonly slots: number
  readonly source: string
}

export function declaredSlots(process: ListeningProcess | null, version: string | null): DeclaredSlots | null {
  if (process === null) return null
  // What the model was really started with comes before what was asked for: some families are forced to one slot.
  const started = [process.args, ...process.childArgs].flatMap(slotsInArgs)
  const first = started[0]
  if (first !== undefined && started.every((slots) => slots === first)) return { slots: first, source: "the command line of the model's process" }
  const set = Number(process.env?.get('OLLAMA_NUM_PARALLEL') ?? '0')
  if (Number.isInteger(set) && set > 0) return { slots: set, source: "OLLAMA_NUM_PARALLEL of the server's process" }
  // 0 and unset mean the default, which is 1 from 0.10 on and was automatic before.
  if (process.env !== null && isOllama(process) && fixedAtOne(version))
    return { slots: 1, source: `the default of Ollama ${version}, where OLLAMA_NUM_PARALLEL is not set` }
  return null
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

function fixedAtOne(version: string | null): boolean {
  const match = /^(\d+)\.(\d+)\./.exec(version ?? '')
  if (match === null || !isVersionKnown(version)) return false
  return Number(match[1]) > 0 || Number(match[2]) >= 10
}

/** A source build calls itself 0.0.0. */
export function isVersionKnown(version: string | null): boolean {
  return version !== null && /^\d+\.\d+\.\d+/.test(version) && !version.startsWith('0.0.0')
}
