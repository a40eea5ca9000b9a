/** none_reached: nothing gave way up to the largest level: turns take as long as alone, or the total still rises by much while each gets slower. */
import { leadingGroup } from '../levels/growth.ts'
import { type CaseFile, completedOf } from './case-file.ts'
import { type Finding, serverName, supports, type VerdictRule } from './finding.ts'
import { count, percent, rate } from './phrases.ts'
import { shareLine } from './shared-evidence.ts'

/** Wall growth up to which nothing has given way. */
const STILL_RATIO = 1.25
/** Of what more sessions would give in proportion, so much and the total counts as following them. */
const FOLLOWS_RATIO = 0.7
/** The total still rises when the last step brings half of what it could bring (published readings: "by about half or more from 4 to 8" is no ceiling). */
const RISING_EXPONENT = 0.5
/** Waiting before or in the server must have next to no part in the growth: a queue at the top level is a ceiling. */
const WAITING_SHARE = 0.1

export const noneReachedRule: VerdictRule = {
  code: 'none_reached',
  needs: [
    'no failures at the largest level',
    'turns that take as long as alone, or a total that still rises by half of what the last step could bring',
  ],
  rivals: { model_server_engine: 'there the total stops rising as well', model_server_queue: 'there requests wait although the total rises' },
  refutedBy: ['a larger level whose total is no better'],
  judge: (file) => still(file) ?? rising(file),
}

function still(file: CaseFile): Finding | null {
  const { base, top, growth, throughputReached } = file
  if (base === null || top === null || growth === null) return null
  const [before, after] = [base.summary.tokensPerSec ?? 0, top.summary.tokensPerSec ?? 0]
  const isStill = !growth.isClear || growth.wallRatio.value < STILL_RATIO
  if (!isStill || throughputReached || hasFailures(file)) return null
  const scaling = before > 0 ? after / before / (top.summary.n / base.summary.n) : 0
  return {
    primary: 'none_reached',
    confidence: scaling > FOLLOWS_RATIO ? 'likely' : 'suspected',
    sentence: `Nothing gave way up to ${top.summary.n} sessions with ${serverName(file)}: a turn takes as long as at ${base.summary.n}, and the total still rises (${rate(before)} to ${rate(after)} tokens/s).`,
    wouldMove: null,
    wouldNotMove: null,
    toSettle: larger(top.summary.n),
    evidence: [
      supports(
        `The mean wall at ${top.summary.n} sessions is ${growth.wallRatio.value.toFixed(2)} times that at ${base.summary.n} (${growth.wallRatio.low.toFixed(2)} to ${growth.wallRatio.high.toFixed(2)}).`,
      ),
      supports(
        `The total rate reached ${percent(scaling)} of what ${top.summary.n} times one session would give.`.replace(
          'times one session',
          base.summary.n === 1 ? 'times one session' : 'sessions in proportion',
        ),
      ),
    ],
  }
}

/** Batching: each answer pays for its neighbours, and the total still rises. */
function rising(file: CaseFile): Finding | null {
  const { top, growth, throughputReached, levels, slots } = file
  if (top === null || growth === null || throughputReached || hasFailures(file) || slots.plateau || file.cliff !== null) return null
  const below = levels.findLast(({ summary }) => summary.n < top.summary.n)
  const [before, after] = [below?.summary.tokensPerSec ?? 0, top.summary.tokensPerSec ?? 0]
  if (below === undefined || before <= 0 || leadingGroup(growth).group !== 'engine') return null
  const waiting = growth.groups.queue.value + growth.groups.runner.value + growth.groups.reload.value
  const exponent = Math.log(after / before) / Math.log(top.summary.n / below.summary.n)
  if (exponent < RISING_EXPONENT || waiting > WAITING_SHARE) return null
  return {
    primary: 'none_reached',
    secondary: 'model_server_engine',
    mechanism: 'batching: the total still rises, at the price of each answer',
    confidence: 'suspected',
    sentence: `No ceiling up to ${top.summary.n} sessions with ${serverName(file)}: from ${below.summary.n} to ${top.summary.n} the total still rises from ${rate(before)} to ${rate(after)} tokens/s. Each turn pays for it: it takes ${growth.wallRatio.value.toFixed(1)} times as long as at ${growth.fromN}.`,
    wouldMove: null,
    wouldNotMove: null,
    toSettle: larger(top.summary.n),
    evidence: [
      supports(`From ${below.summary.n} to ${count(top.summary.n, 'session')} the total rose ${(after / before).toFixed(2)} times.`),
      supports(shareLine(file, 'engine')),
    ],
  }
}

const larger = (n: number) => `Sweep larger levels, such as ${n * 2} and ${n * 4}, to find the ceiling.`
const hasFailures = ({ top }: CaseFile) => top !== null && top.summary.sessions - completedOf(top.summary) > 0
