/** load_generator: the largest level has no valid cell, because the load driver itself could not carry it (M10). */

import { roughQuantile } from '../statistics/percentiles.ts'
import type { CaseFile } from './case-file.ts'
import { type Finding, supports, type VerdictRule } from './finding.ts'
import { count, duration } from './phrases.ts'

export const loadGeneratorRule: VerdictRule = {
  code: 'load_generator',
  needs: ['the largest level has cells, and the driver limited all of them: late submits, a blocked loop, or fewer in flight than asked'],
  rivals: {
    runner_process: 'there the submits are on time and the runner accepts or sends late',
    invalid_measurement: 'there what came back can’t be trusted, not what was sent',
  },
  refutedBy: ['the same level on a quiet machine is carried, and shows the same'],
  judge: judgeDriver,
}

/** Submits this late, on the whole, are coordinated omission: whoever timed from the submit would not see the wait. */
const LATE_MS = 25

function judgeDriver(file: CaseFile): Finding | null {
  const limit = file.limitedLevels.at(-1)
  const highest = file.levels.at(-1)?.summary.n ?? 0
  if (limit === undefined || limit < highest) return null
  // A sweep that broke off before anything was measured says why; the driver had no chance to show what it carries.
  if (highest === 0 && file.state.problem !== null) return null
  const carried = highest > 0 ? ` Up to ${highest} it did carry the load; those levels stand.` : ''
  const late = lateness(file, limit)
  return {
    primary: 'load_generator',
    mechanism: late === null ? 'the driver did not hold the level' : 'coordinated omission: the driver submits late',
    confidence: 'likely',
    sentence: `At ${limit} sessions the load driver itself could not keep up, so nothing can be said of the server there.${carried}`,
    wouldMove: 'A machine with less else to do, or a smaller level.',
    wouldNotMove: null,
    toSettle: `Sweep ${limit} sessions again while nothing else runs.`,
    evidence: [
      supports(`The cells at ${file.limitedLevels.join(', ')} sessions are invalid: the driver was late or did not hold them all in flight.`),
      ...(late === null ? [] : [supports(late)]),
    ],
  }
}

function lateness(file: CaseFile, n: number): string | null {
  const cells = new Set(file.sweep.limited.filter(({ cell }) => cell.n === n).map(({ cell }) => cell.index))
  const lags = file.state.rows.filter((row) => cells.has(row.cell) && row.outcome !== 'cut').map((row) => row.submitAtMs - row.plannedAtMs)
  const middle = roughQuantile(lags, 0.5)
  const worst = roughQuantile(lags, 0.99)
  if (middle === null || worst === null || worst < LATE_MS) return null
  return `Of ${count(lags.length, 'submit')} at ${n} sessions half came ${duration(middle)} late or more, one in a hundred ${duration(worst)}: timed from the submit, that wait would not be seen.`
}
