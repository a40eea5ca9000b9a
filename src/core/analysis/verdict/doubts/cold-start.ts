/** One load of the model inside the cells that count: not a finding, as recurring loads are, but an accident that makes a level look slow (M4). */
import { GROUPS } from '../../levels/growth.ts'
import type { CaseFile } from '../case-file.ts'
import { count, percent } from '../phrases.ts'
import type { Doubt } from './doubt.ts'

/** Share of the mean wall of its level from which the load distorts what is compared. */
const MATERIAL_RATIO = 0.1

export function coldStart({ reload, levels, base, top }: CaseFile): Doubt | null {
  if (reload.loads !== 1 || reload.swappedCalls > 0 || reload.differs !== null) return null
  const loadShare = (level: (typeof levels)[number]) => GROUPS.reload.reduce((sum, part) => sum + level.summary.shares[part], 0)
  // Only the ends of the growth can bend the verdict.
  const spoilt = [base, top].find((level) => level !== null && loadShare(level) >= MATERIAL_RATIO)
  if (spoilt === undefined || spoilt === null) return null
  const share = percent(loadShare(spoilt))
  return {
    mechanism: 'cold start inside the measured cells',
    sentence: `The model was loaded in the middle of the measurement: at ${count(spoilt.summary.n, 'session')} ${share} of a turn is that one load, so this level can't be compared with the others.`,
    toSettle: 'Warm the model up and keep it loaded (keep_alive), then sweep again.',
    evidence: [`One load stands in the cells that count, ${share} of the wall at ${count(spoilt.summary.n, 'session')}.`],
  }
}
