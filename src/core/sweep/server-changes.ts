/** M11: is the server that answers now the one that the sweep began with? What one of the two readings does not tell is no difference. */
import { type Problem, problem } from '../result/problem.ts'
import type { ServerFacts } from './target.ts'

export type ServerChange = {
  readonly reason: Problem
  /** What was measured before belongs to another server than what would follow: the sweep can't go on. */
  readonly isOther: boolean
}

export function serverChange(before: ServerFacts, now: ServerFacts): ServerChange | null {
  const differs = <K extends keyof ServerFacts>(key: K) => before[key] !== null && now[key] !== null && before[key] !== now[key]
  if (differs('kind') || differs('model') || differs('modelSizeBytes') || differs('quantization')) {
    return { isOther: true, reason: changed('model-changed', 'Another model or another server answers than the one that the sweep began with.') }
  }
  if (differs('declaredSlots') && before.declaredSlotsSource === now.declaredSlotsSource) {
    const text = `The server went from ${before.declaredSlots} to ${now.declaredSlots} slots while the sweep ran.`
    return { isOther: true, reason: changed('slots-changed', text) }
  }
  if (differs('version')) {
    return {
      isOther: true,
      reason: changed('server-changed', `The server went from version ${before.version} to ${now.version} while the sweep ran.`),
    }
  }
  if (differs('pid')) return { isOther: false, reason: changed('server-restarted', 'The server was started anew while the sweep ran.') }
  return null
}

const changed = (code: string, happened: string) =>
  problem(code, happened, 'It was expected to stay as it is from the first cell to the last.', 'Sweep again when nobody changes it.')
