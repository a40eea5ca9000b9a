/** What a careful reader says of the machine and the set-up around a curve: memory, utilisation, bandwidth, tools, prompts, other arms, jobs. */
import type { TableFacts, TableFinding } from './table-finding.ts'
import { decimal, percent, span, times } from './table-words.ts'

export type ClaimMaker = (facts: TableFacts, found: TableFinding) => readonly string[]

export const isQueue = (found: TableFinding): boolean => found.primary === 'model_server_queue' || found.secondary === 'model_server_queue'

const memory: ClaimMaker = ({ series }) => {
  const rows = series.points.map((point) => point.row.memoryMib).filter((value) => value !== undefined)
  const [first] = rows
  if (first === undefined || rows.length < 2 || series.axis !== 'n') return []
  const [low, high] = [Math.min(...rows), Math.max(...rows)]
  const slots = series.slots === null ? '' : ` inside one slot setting (${series.slots} slots)`
  return high < 1.02 * low
    ? [
        `Memory does not grow with n${slots}: it stays at ${Math.round(low).toLocaleString('en-US')} to ${Math.round(high).toLocaleString('en-US')} MiB.`,
      ]
    : [`Memory grows with n, from ${Math.round(low)} to ${Math.round(high)} MiB; whether it runs out is not in the table.`]
}

const utilisation: ClaimMaker = ({ curve }, found) => {
  if (curve === null) return []
  const high = curve.levels.filter(({ row }) => (row.gpuPercent ?? 0) >= 80)
  const [first] = high
  const last = high.at(-1)
  if (first !== undefined && last !== undefined && first !== last && isQueue(found))
    return [
      `GPU utilisation of ${Math.min(...high.map(({ row }) => row.gpuPercent ?? 0))}-${Math.max(...high.map(({ row }) => row.gpuPercent ?? 0))} % from n=${first.n} on is no ceiling sign: it only says that something ran all the time, with one request as well as with many.`,
    ]
  if (first === undefined || last === undefined || first === last || last.total < 1.3 * first.total) return []
  const values = high.map(({ row }) => row.gpuPercent ?? 0)
  return [
    `GPU 'utilisation' of ${Math.min(...values)}-${Math.max(...values)}% from n=${first.n} on is not saturation: total rose ${times(last.total / first.total)} (${decimal(first.total)} to ${decimal(last.total)}) while it stood there.`,
  ]
}

const bandwidth: ClaimMaker = ({ series }) => {
  const seen = series.points.map((point) => point.row.bandwidthPercent).filter((value) => value !== undefined)
  const [first] = seen
  if (first === undefined || seen.length < 2 || series.axis !== 'n') return []
  const most = Math.max(...seen)
  return most < 1.15 * first
    ? [
        `Memory bandwidth stands at ${decimal(first)} % at the lowest n already and at ${decimal(most)} % at most: it is flat, so it says nothing of how many are served at once.`,
      ]
    : [`Memory bandwidth grows with n, from ${decimal(first)} to ${decimal(most)} %.`]
}

/** What tools take belongs to the ceiling: sessions that wait for a tool leave the server to others. */
const toolTime: ClaimMaker = ({ curve }, found) => {
  const tool = curve?.base.row.toolMs
  if (curve === null || tool === undefined || tool === 0) return []
  return [
    `Each step spends ${span(tool)} in its tool, outside the model${curve.isReached && found.primary === 'model_server_queue' ? `: the ceiling of ${curve.knee.n} belongs to this tool time, for while a tool runs another session is served` : ''}.`,
  ]
}

/** One slot, and most of what holds it is the prompt. */
const promptShare: ClaimMaker = ({ curve }, found) => {
  if (curve === null || found.primary !== 'model_server_queue' || curve.base.n !== 1) return []
  const { firstMs, latencyMs } = curve.base
  if (firstMs === null || latencyMs === null || firstMs < 0.5 * latencyMs) return []
  return [
    `${percent(firstMs / latencyMs)} of a service time is the prompt (${span(firstMs)} of ${span(latencyMs)} at n=1): shorter prompts or a reused prefix would move more than slots would.`,
  ]
}

/** The same levels with another server or setting: what one reaches is no limit of the machine for the other. */
const otherArms: ClaimMaker = ({ all, series, curve }) => {
  if (curve === null || series.axis !== 'n') return []
  const others = all.filter((one) => one.series !== series && one.curve !== null && one.series.unit === series.unit)
  return others.slice(0, 4).flatMap((one) => {
    const other = one.curve
    const [there, here] = [other?.levels.find(({ n }) => n === curve.top.n), curve.top]
    if (other == null || there === undefined) return []
    const ratio = there.total / here.total
    if (ratio > 0.9 && ratio < 1.1) return []
    return [
      `At n=${here.n} ${series.label} has a total of ${decimal(here.total)}, ${one.series.label} ${decimal(there.total)} (${times(ratio)}; from n=${other.base.n} it goes ${times(there.total / other.base.total)})${ratio > 1.5 ? ': the machine itself can do more than the first shows' : ''}.`,
    ]
  })
}

/** Jobs of one level: what ran at once, and the longest of them. */
const jobsAtOnce: ClaimMaker = ({ table, series, curve }, found) => {
  const [one, all] = [curve?.base.row, curve?.top.row]
  if (found.primary === 'none_reached' && one?.sumJobMs !== undefined && all?.sumJobMs !== undefined && one.wallMs && all.wallMs)
    return [
      `Real speed-up = ${span(one.wallMs)} / ${span(all.wallMs)} = ${times(one.wallMs / all.wallMs)} at n=${all.n ?? '?'}; each job takes ${times(all.sumJobMs / one.sumJobMs)} as long as alone.`,
    ]
  const row = series.axis === 'single' ? table.rows[0]?.figures : undefined
  if (row?.sumJobMs === undefined || row.wallMs === undefined || row.wallMs === 0) return []
  const longest =
    row.slowestJobMs === undefined
      ? ''
      : `; the slowest job takes ${span(row.slowestJobMs)} of it (${percent(row.slowestJobMs / row.wallMs)}), and no number of places brings the wall below that (critical path)`
  return [
    `Real speed-up = sum of the jobs over wall = ${span(row.sumJobMs)} / ${span(row.wallMs)} = ${times(row.sumJobMs / row.wallMs)}${row.n === undefined ? '' : ` with ${row.n} places`}${longest}.`,
  ]
}

const openRate: ClaimMaker = ({ series }) => {
  const rates = series.points.map(({ row }) => row.requestsPerSec).filter((value) => value !== undefined)
  const top = series.points.at(-1)
  if (series.axis !== 'arrival' || rates.length < 2 || top === undefined || Math.max(...rates) > 0.9 * top.at) return []
  return [`It carries about ${decimal(Math.max(...rates))} requests/s; at arrivals above that rate the queue grows as long as the test lasts.`]
}

/** A CPU that hardly works, beside a machine that is full: it is not the server's. */
const idleCpu: ClaimMaker = ({ series }, found) => {
  const seen = series.points.map(({ row }) => row.cpuPercent).filter((value) => value !== undefined)
  if (seen.length < 2 || found.primary !== 'hardware' || Math.max(...seen) > 20) return []
  return [
    `CPU use of ${decimal(Math.min(...seen))}-${decimal(Math.max(...seen))} % is that of the box or container it was read in, not of the server's process: read it per process and per core before cores are called idle.`,
  ]
}

/** The smallest level tested already has the best total: where the ceiling lies below it was not measured. */
const lowestLevel: ClaimMaker = ({ curve }, found) =>
  curve === null || !curve.isReached || curve.knee !== curve.base || curve.base.n === 1 || found.ceilingN !== undefined
    ? []
    : [`The ceiling lies at ${curve.base.n} or below: n=1 to ${curve.base.n - 1} were not measured.`]

export const SETUP_CLAIMS: readonly ClaimMaker[] = [
  lowestLevel,
  memory,
  utilisation,
  bandwidth,
  idleCpu,
  toolTime,
  promptShare,
  otherArms,
  jobsAtOnce,
  openRate,
]
