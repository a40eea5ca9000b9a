/** Verdicts from jobs of a known number: their wall, their sum, the longest of them. */
import { supports } from '../verdict/finding.ts'
import { finding, type TableRule } from './table-finding.ts'
import { percent, span, times } from './table-words.ts'

/** Jobs of fixed number: their wall, their sum. Stretch of each is what sharing costs. */
export const jobStretchRule: TableRule = (facts) => {
  const { curve, said } = facts
  if (curve === null) return null
  const { base, top } = curve
  const [sum1, sumN, wall1, wallN] = [base.row.sumJobMs, top.row.sumJobMs, base.row.wallMs, top.row.wallMs]
  if (sum1 === undefined || sumN === undefined || wall1 === undefined || wallN === undefined) return null
  const jobs = base.row.jobs ?? said.jobs
  const stretch = sumN / sum1
  const waves = jobs === null ? null : Math.ceil(jobs / top.n)
  const claims = [
    `Real speed-up = wall(1)/wall(n) = ${span(wall1)} / ${span(wallN)} = ${times(wall1 / wallN)} at n=${top.n}; stretch per job = sum(n)/sum(1) = ${times(stretch)}. Jobs in flight are not speed-up.`,
    ...(jobs === null || waves === null || waves < 2
      ? []
      : [
          `${jobs} jobs at n=${top.n} is ${waves === 2 ? 'two' : waves} waves: the last wave runs with ${jobs - top.n * (waves - 1)} of ${top.n} places used.`,
        ]),
  ]
  const cannotGoOn = jobs !== null && 2 * top.n > jobs
  const isStretched = stretch > 1.3
  // Places that bring less than half of what they are: something else than places bounds the wall.
  const isWaning = wall1 / wallN < 0.5 * (top.n / base.n)
  if (!isStretched && !curve.isReached && !cannotGoOn && !isWaning) return null
  const slowest = top.row.slowestJobMs
  if (slowest !== undefined && !isStretched)
    claims.push(
      `The slowest job takes ${span(slowest)} of a wall of ${span(wallN)}; no job takes longer than alone, so the jobs do not take the machine from each other: order and dependencies (the critical path) or what they wait for.`,
    )
  if (!isStretched && slowest !== undefined && slowest > 0.7 * wallN)
    return finding('job_scheduler', 'suspected', {
      mechanism: 'critical path: the longest job is most of the wall',
      sentence: `The order of the jobs gives way first: the longest takes ${span(slowest)} of a wall of ${span(wallN)}, and no job takes longer than alone.`,
      claims: [
        ...claims,
        `The longest job alone is ${percent(slowest / wallN)} of the wall at n=${top.n}: start the critical path first; more places bring nothing beyond it.`,
      ],
      missing: ['Start and end of each job.'],
    })
  if (!isStretched)
    return finding('inconclusive', 'cannot-tell', {
      mechanism: 'jobs do not stretch, and yet the wall does not shrink',
      sentence:
        'What gives way can’t be told: each job takes as long as alone, so something keeps them from running together, or there are too few of them.',
      claims,
      missing: ['Jobs observed running over time.'],
    })
  const cores = said.cores === null ? '' : ` ${said.cores} cores`
  const word = said.hardwareWord === 'GPU' ? 'hardware' : said.hardwareWord === 'hardware' ? 'CPU' : said.hardwareWord
  return finding('hardware', 'likely', {
    mechanism: `CPU cores: each job stretches ${times(stretch)} at ${top.n}`,
    sentence: `The ${word}${cores === '' ? '' : ` (${cores.trim()})`} gives way first: at n=${top.n} each job takes ${times(stretch)} as long, so the wall shrinks only ${times(wall1 / wallN)}.`,
    // With fewer than two more doublings' worth of jobs there is nothing left to test above.
    ...(cannotGoOn && !curve.isReached ? { ceilingN: top.n } : {}),
    claims,
    evidence: [supports(claims[0] ?? '')],
    missing: ['CPU use of all cores at each n, to tell cores from memory or disk.'],
  })
}

/** One level of jobs by itself: its sum over its wall is what ran at once, its longest job what no more places shorten. */
export const criticalPathRule: TableRule = ({ series, table }) => {
  const row = series.axis === 'single' ? table.rows[0]?.figures : undefined
  if (row?.sumJobMs === undefined || row.wallMs === undefined || row.slowestJobMs === undefined) return null
  const speedUp = row.sumJobMs / row.wallMs
  if (row.slowestJobMs < 0.7 * row.wallMs || (row.n !== undefined && speedUp > 0.8 * row.n)) return null
  const claim = `Real speed-up = sum of the jobs over wall = ${times(speedUp)}${row.n === undefined ? '' : ` with ${row.n} places`}: the longest job (${span(row.slowestJobMs)}) is ${percent(row.slowestJobMs / row.wallMs)} of the wall, so the critical path sets it; start it first.`
  return finding('job_scheduler', 'suspected', {
    mechanism: 'critical path: the longest job is most of the wall',
    sentence: claim,
    ceilingN: null,
    claims: [claim],
    evidence: [supports(claim)],
    missing: ['Start and end of each job, and the wall with one place.'],
  })
}
