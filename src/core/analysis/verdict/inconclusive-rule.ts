/** inconclusive: too little was measured, or no rule carried its evidence. It says what measurement would settle it. */
import { leadingGroup } from '../levels/growth.ts'
import type { CaseFile } from './case-file.ts'
import { type Finding, inconclusive, leavesOpen, type VerdictRule } from './finding.ts'
import { commonest, count } from './phrases.ts'
import { GROUP_WORDS, nullLegEvidence, shareLine } from './shared-evidence.ts'

/** Nothing came of the sweep. */
export const nothingMeasuredRule: VerdictRule = {
  code: 'inconclusive',
  needs: ['no level of which anything came through'],
  rivals: { provider_limit: 'refusals of a provider say what they are' },
  refutedBy: ['a level with a turn that came through'],
  judge: judgeNothing,
}

/** One level can't show a growth. */
export const oneLevelRule: VerdictRule = {
  code: 'inconclusive',
  needs: ['one level alone of which half came through'],
  rivals: { hardware: 'failures for want of memory name themselves', model_server_queue: 'turns lost in a queue do as well' },
  refutedBy: ['a second level'],
  judge: judgeOneLevel,
}

/** The last word when no rule spoke. */
export const noCauseRule: VerdictRule = {
  code: 'inconclusive',
  needs: ['no other rule spoke'],
  rivals: {},
  refutedBy: ['the measurement that it names'],
  judge: judgeRest,
}

function judgeNothing(file: CaseFile): Finding | null {
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

function judgeOneLevel(file: CaseFile): Finding | null {
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

function judgeRest(file: CaseFile): Finding {
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
