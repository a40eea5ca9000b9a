/** Verdicts about the measurement itself, about refusals, and about nothing having given way. */
import { leadingGroup } from '../levels/growth.ts'
import { type CaseFile, completedOf } from './case-file.ts'
import { type Finding, inconclusive, leavesOpen, type Rule, serverName, supports } from './finding.ts'
import { commonest, count, percent, rate } from './phrases.ts'
import { GROUP_WORDS, nullLegEvidence, shareLine } from './shared-evidence.ts'

const REFUSALS = [429, 529]
/** Share of refused sessions at the top level from which the refusal is the finding. */
const REFUSED_RATIO = 0.1

export const providerRule: Rule = (file) => {
  const levels = file.all.filter(({ summary }) => summary.leg !== 'null')
  const refused = levels.map(({ facts, summary }) => ({
    n: summary.n,
    all: summary.sessions,
    count: facts.turns.filter(({ row }) => row.timeline?.calls.some((call) => call.httpStatus !== null && REFUSALS.includes(call.httpStatus))).length,
  }))
  const first = refused.find((level) => level.count >= REFUSED_RATIO * level.all && level.count > 0)
  if (first === undefined) return null
  return {
    primary: 'provider_limit',
    confidence: 'suspected',
    sentence: `From ${count(first.n, 'session')} on the provider refuses requests: ${first.count} of ${first.all} came back with 429 or 529.`,
    wouldMove: 'A higher rate limit, or a slower ramp of starts.',
    wouldNotMove: 'Anything on this machine.',
    toSettle: null,
    evidence: refused
      .filter((level) => level.count > 0)
      .map((level) => supports(`At ${level.n} sessions ${level.count} of ${level.all} were refused.`)),
  }
}

export const driverRule: Rule = (file) => {
  const limit = file.limitedLevels.at(-1)
  const highest = file.levels.at(-1)?.summary.n ?? 0
  if (limit === undefined || limit < highest) return null
  // A sweep that broke off before anything was measured says why; the driver had no chance to show what it carries.
  if (highest === 0 && file.state.problem !== null) return null
  const carried = highest > 0 ? ` Up to ${highest} it did carry the load; those levels stand.` : ''
  return {
    primary: 'load_generator',
    confidence: 'likely',
    sentence: `At ${limit} sessions the load driver itself could not keep up, so nothing can be said of the server there.${carried}`,
    wouldMove: 'A machine with less else to do, or a smaller level.',
    wouldNotMove: null,
    toSettle: `Sweep ${limit} sessions again while nothing else runs.`,
    evidence: [
      supports(`The cells at ${file.limitedLevels.join(', ')} sessions are invalid: the driver was late or did not hold them all in flight.`),
    ],
  }
}

export const nothingMeasuredRule: Rule = (file) => {
  if (file.levels.length > 0) return null
  const { rows, problem } = file.state
  if (problem !== null) return inconclusive(`Nothing was measured to its end. ${problem.happened}`, 'Mend what failed, then sweep again.', [])
  const failed = rows.filter((row) => row.outcome === 'failed')
  const why = commonest(failed.flatMap((row) => row.problem?.happened ?? row.timeline?.problem?.happened ?? []))
  if (failed.length > 0) {
    const all =
      failed.length === rows.length
        ? `All ${count(failed.length, 'session')} failed`
        : `${failed.length} of ${rows.length} sessions failed, none was measured to its end`
    return inconclusive(`${all}${why === null ? '' : `: ${why}`}`.replace(/\.?$/, '.'), 'Mend what failed, then sweep again.', [])
  }
  if (file.all.some(({ summary }) => summary.leg === 'null')) {
    return inconclusive(
      'Only the null leg was measured: it shows what Plimsoll adds, and nothing of a model server.',
      'Add the runner leg.',
      [nullLegEvidence(file)].filter((line) => line !== null),
    )
  }
  return inconclusive('Nothing has been measured yet.', 'Run the sweep until at least two levels are done.', [])
}

export const oneLevelRule: Rule = (file) => {
  const { levels, base, top } = file
  if (base !== null && top !== null && base !== top) return null
  const n = levels[0]?.summary.n ?? 0
  const failing = levels.length > 1 ? ' Above it most sessions failed.' : ''
  return inconclusive(
    `Only ${count(n, 'session')} at once could be judged, so there is no growth to explain.${failing}`,
    n === 1 ? 'Add a larger level, such as 8.' : 'Add the level 1, and one or two between.',
    [],
  )
}

/** Wall growth up to which nothing has given way. */
const STILL_RATIO = 1.25

export const noneReachedRule: Rule = (file) => {
  const { base, top, growth, throughputReached } = file
  if (base === null || top === null || growth === null) return null
  const [before, after] = [base.summary.tokensPerSec ?? 0, top.summary.tokensPerSec ?? 0]
  const isStill = !growth.isClear || growth.wallRatio.value < STILL_RATIO
  const failures = top.summary.sessions - completedOf(top.summary)
  if (!isStill || throughputReached || failures > 0) return null
  const scaling = before > 0 ? after / before / (top.summary.n / base.summary.n) : 0
  return {
    primary: 'none_reached',
    confidence: scaling > 0.7 ? 'likely' : 'suspected',
    sentence: `Nothing gave way up to ${top.summary.n} sessions with ${serverName(file)}: a turn takes as long as at ${base.summary.n}, and the total still rises (${rate(before)} to ${rate(after)} tokens/s).`,
    wouldMove: null,
    wouldNotMove: null,
    toSettle: `Sweep larger levels, such as ${top.summary.n * 2} and ${top.summary.n * 4}, to find the ceiling.`,
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

/** The last word when no rule spoke. */
export function fallback(file: CaseFile): Finding {
  const { growth } = file
  if (growth === null || !growth.isClear) {
    return inconclusive(
      'The turns did not grow longer beyond noise, and the total did not rise either: no cause can be named.',
      'Add repeats and a larger level.',
      growth === null
        ? []
        : [
            leavesOpen(
              `The mean wall grew ${growth.wallRatio.value.toFixed(2)} times (${growth.wallRatio.low.toFixed(2)} to ${growth.wallRatio.high.toFixed(2)}).`,
            ),
          ],
    )
  }
  const { group } = leadingGroup(growth)
  return inconclusive(
    `Most of the added time is ${GROUP_WORDS[group]}, and no verdict follows from that alone.`,
    group === 'tools' ? 'Sweep a workload without tools.' : 'Add repeats, the null leg, and a larger level.',
    [leavesOpen(shareLine(file, group))],
  )
}
