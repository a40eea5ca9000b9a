/** Causes that could be meant, by their share of the growth: what the live page shows before the verdict is firm. */
import type { Candidate, VerdictCode } from './analysis.ts'
import { GROUP_NAMES, type Group } from './levels/growth.ts'
import type { CaseFile } from './verdict/case-file.ts'
import { fullMachine } from './verdict/machine.ts'

/** Shares that can't be told from nothing are no candidates. */
const LEAST_SHARE = 0.02

/** Descending by share; empty as long as the turns have not grown longer beyond noise. */
export function candidatesOf(file: CaseFile): Candidate[] {
  const { growth } = file
  if (growth === null || !growth.isClear) return []
  const codes: Record<Group, VerdictCode> = {
    queue: 'model_server_queue',
    reload: 'model_server_reload',
    engine: fullMachine(file) === null ? 'model_server_engine' : 'hardware',
    runner: 'runner_process',
    tools: 'runner_process',
  }
  const byCode = new Map<VerdictCode, Candidate['share']>()
  for (const group of GROUP_NAMES) {
    const { value, low, high } = growth.groups[group]
    const known = byCode.get(codes[group]) ?? { value: 0, low: 0, high: 0 }
    byCode.set(codes[group], { value: known.value + value, low: known.low + low, high: known.high + high })
  }
  return [...byCode]
    .map(([code, share]) => ({ code, share }))
    .filter(({ share }) => share.value >= LEAST_SHARE)
    .sort((a, b) => b.share.value - a.share.value)
}
