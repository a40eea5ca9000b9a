/** Verdicts from counters that name their cause: a core that is full, a server that counts all as running, a connection pool seen from the server. */
import { leavesOpen, supports } from '../verdict/finding.ts'
import type { Curve, Level } from './level-curve.ts'
import { FLAT_GAIN, finding, rateText, type TableFacts, type TableRule } from './table-finding.ts'
import { decimal, percent, span, tokens } from './table-words.ts'

/** A core that is this busy on average has no time left: sampling and the ends of a run take the rest. */
const CORE_IS_FULL = 95

const isFlat = (curve: Curve): boolean => curve.isReached || curve.lastGain < FLAT_GAIN

/** The one process that makes the load has no core left, and nothing waits at the server. */
export const clientCoreRule: TableRule = (facts) => {
  const { curve } = facts
  if (curve === null || !isFlat(curve)) return null
  const full = curve.levels.filter(({ row }) => (row.clientCpuPercent ?? 0) >= CORE_IS_FULL)
  const [first] = full
  const { base, top } = curve
  if (first === undefined || !full.includes(top) || (top.row.serverWaiting ?? 0) >= 1) return null
  const grew = (base.row.clientCpuPercent ?? 100) < 0.8 * CORE_IS_FULL
  const seen =
    top.row.serverRunning === undefined
      ? ''
      : `, and the server counts only ${decimal(top.row.serverRunning)} of ${top.n} requests running and none waiting`
  const claim = `The load generator's own core is full from n=${first.n} on (CPU ${decimal(first.row.clientCpuPercent ?? 0)} %, at n=${base.n} ${decimal(base.row.clientCpuPercent ?? 0)} %), and there the total stops rising (${rateText(facts, first)} at n=${first.n}, ${rateText(facts, top)} at n=${top.n})${seen}.`
  return finding('load_generator', grew ? 'likely' : 'suspected', {
    mechanism: 'one core of the client is full',
    sentence: `The load generator gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    claims: [claim, 'These levels measure the client: spread it over several processes and measure again before anything is said of the server.'],
    evidence: [supports(claim)],
    missing: ['The same levels from several client processes.'],
  })
}

/** One core of the server is full: whatever the GPU reads, it is not what gives way. */
export const serverCoreRule: TableRule = (facts) => {
  const { curve } = facts
  if (curve === null || !isFlat(curve)) return null
  const full = curve.levels.filter(({ row }) => (row.serverCorePercent ?? 0) >= CORE_IS_FULL)
  const [first] = full
  const { base, top } = curve
  if (first === undefined || !full.includes(top)) return null
  const [before, after] = [base.row.gpuPercent, top.row.gpuPercent]
  const gpu =
    before === undefined || after === undefined
      ? ''
      : after < before
        ? ` while GPU use falls from ${decimal(before)} to ${decimal(after)} %: the GPU waits for it`
        : ` (GPU use ${decimal(before)} to ${decimal(after)} %)`
  const isGpuIdle = before !== undefined && after !== undefined && after < 0.95 * before
  const claim = `One CPU core of the server is full from n=${first.n} on (${decimal(first.row.serverCorePercent ?? 0)} %)${gpu}; there the total stops rising (${rateText(facts, first)} at n=${first.n}, ${rateText(facts, top)} at n=${top.n}).`
  return finding('hardware', isGpuIdle ? 'likely' : 'suspected', {
    secondary: 'model_server_engine',
    mechanism: 'one CPU core of the server is full',
    sentence: `One CPU core of the server gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    claims: [
      claim,
      'Tokenising and request handling run on that core: more server processes, or a faster core, would move it; a larger GPU would not.',
    ],
    evidence: [supports(claim)],
    missing: isGpuIdle ? [] : ['GPU use at each level.'],
  })
}

/** The server itself says that nothing waits, at the highest level too. */
export function serverRunsAll({ top }: Curve): boolean {
  return top.n >= 2 && top.row.serverWaiting === 0 && (top.row.serverRunning ?? 0) >= 0.9 * top.n
}

/** All are running, none waits, and still each takes longer: nothing there queues, so what they share is full. */
export const allRunningRule: TableRule = (facts) => {
  const { curve, said } = facts
  if (curve === null || !serverRunsAll(curve) || !isFlat(curve)) return null
  const { base, top } = curve
  const gauges = `The server counts all ${top.n} requests running and none waiting at n=${top.n}: this is no queue.`
  const firstShare = base.firstMs === null || base.latencyMs === null ? 0 : base.firstMs / base.latencyMs
  const kept = base.decode === null || top.decode === null ? null : top.decode / base.decode
  if (firstShare >= 0.5 && top.firstMs !== null && top.firstMs > 1.5 * (base.firstMs ?? 0)) return prefillAmongAll(facts, curve, gauges, firstShare)
  if (kept === null || kept > 0.8) return null
  const pace = `Each answer runs at ${percent(kept)} of its pace at n=${base.n} (${tokens(base.decode ?? 0)} to ${tokens(top.decode ?? 0)}): decode is shared.`
  const rate = `Total ${rateText(facts, base)} at n=${base.n}, ${rateText(facts, top)} at n=${top.n}; 90 % of the best from n=${curve.knee.n} on.`
  return finding('hardware', 'likely', {
    mechanism: `shared decode: all n run together, total flat from n=${curve.knee.n}`,
    sentence: `The ${said.hardwareWord} gives way first: all ${top.n} requests are running and none waits, yet each is decoded at ${percent(kept)} of its pace at n=${base.n}.`,
    slots: facts.occupancy?.together === true ? facts.occupancy.slots : null,
    claims: [gauges, pace, rate],
    evidence: [supports(gauges), supports(pace)],
  })
}

function prefillAmongAll({ said }: TableFacts, curve: Curve, gauges: string, firstShare: number): ReturnType<TableRule> {
  const { base, top } = curve
  const slower = base.decode === null || top.decode === null ? null : base.decode / top.decode
  const claim = `At n=${base.n} ${percent(firstShare)} of a request is its first token (${span(base.firstMs ?? 0)}), and that grows to ${span(top.firstMs ?? 0)} at n=${top.n}${slower !== null && slower > 1.2 ? ` while time per token grows ${decimal(slower)}x` : ''}: prompts are read by the same ${said.hardwareWord}, and reading them is the work.`
  return finding('hardware', 'likely', {
    mechanism: 'prefill is compute-bound: reading prompts fills the whole time',
    sentence: `The ${said.hardwareWord} gives way first, in prefill: all ${top.n} requests are running and none waits. ${claim}`,
    claims: [gauges, claim, 'Shorter prompts or a warm prefix would move it; more slots would not.'],
    evidence: [supports(gauges), supports(claim)],
    missing: ['The same levels with short prompts.'],
  })
}

/** Running at the server stands at a number below n, and nothing waits there: the rest has not left the client. */
export const serverSeesPoolRule: TableRule = (facts) => {
  const { curve } = facts
  if (curve === null) return null
  const seen = curve.levels.filter(({ row }) => row.serverRunning !== undefined && row.serverWaiting !== undefined)
  const below = seen.filter(({ n, row }) => (row.serverRunning ?? 0) < 0.8 * n)
  const top = below.at(-1)
  if (top === undefined || seen.some(({ row }) => (row.serverWaiting ?? 0) >= 1)) return null
  const limit = Math.round(Math.max(...seen.map(({ row }) => row.serverRunning ?? 0)))
  if (!seen.every(({ n, row }) => (row.serverRunning ?? 0) >= 0.9 * Math.min(n, limit))) return null
  return poolFinding(facts, limit, top)
}

function poolFinding({ series, said }: TableFacts, limit: number, top: Level): ReturnType<TableRule> {
  const claim = `The server counts ${limit} requests running and none waiting although n=${top.n}: the other ${top.n - limit} have not reached it, so a connection pool of ${limit} in the client holds them back.`
  const [atClient, atServer] = [top.firstMs, top.row.ttftServerMs]
  const gap =
    atClient === null || atServer === undefined || atClient < 2 * atServer
      ? []
      : [
          `At n=${top.n} the client waits ${span(atClient)} for its first token and the server needs ${span(atServer)}: ${span(atClient - atServer)} is the wait for a connection.`,
        ]
  const exonerated =
    (series.slots ?? said.slots ?? 0) > 1.2 * limit
      ? [`The server's own limit of ${series.slots ?? said.slots} is not it: that is above ${limit}, and nothing waits.`]
      : []
  return finding('runner_process', 'likely', {
    mechanism: 'client connection pool',
    sentence: `The calling process gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    slots: limit,
    ceilingN: limit,
    claims: [claim, ...gap, ...exonerated, 'What would move it: a connection pool at least as large as n in the client; a faster server would not.'],
    evidence: [supports(claim), ...gap.map(supports)],
  })
}

/** One fixed piece of work over n places: speed-up is the wall with one over the wall with n. */
export const fixedWorkRule: TableRule = ({ curve, series, said }) => {
  if (curve === null || series.totalFrom !== 'fixed work') return null
  const { base, top, knee } = curve
  const speedUp = (level: Level) => level.total / base.total
  const claim = `The same work takes ${span(base.row.wallMs ?? 0)} at n=${base.n} and ${span(top.row.wallMs ?? 0)} at n=${top.n}: a speed-up of ${decimal(speedUp(top))}x${knee === top ? '' : `, and ${decimal(speedUp(knee))}x at n=${knee.n} already`}.`
  // Places that bring less than half of what they are: something bounds the work, and the table does not say what.
  const isWaning = speedUp(top) < 0.5 * (top.n / base.n)
  if (!curve.isReached && !isWaning)
    return finding('none_reached', curve.lastGain > 0.5 ? 'likely' : 'suspected', {
      mechanism: 'fixed work, still faster at the last step',
      sentence: `Nothing gives way up to ${top.n}. ${claim}`,
      ceilingN: null,
      claims: [claim],
      evidence: [supports(claim)],
      missing: [`Levels above ${top.n}.`],
    })
  const busy = knee.row.cpuPercent
  const cores = said.cores === null ? 'CPU cores' : `${said.cores} CPU cores`
  if (busy !== undefined && busy >= 85 && (base.row.cpuPercent ?? 100) < 0.7 * busy) {
    const full = `CPU use grows from ${decimal(base.row.cpuPercent ?? 0)} % at n=${base.n} to ${decimal(busy)} % at n=${knee.n}, where the speed-up stops.`
    return finding('hardware', 'likely', {
      mechanism: 'all CPU cores are busy',
      sentence: `The ${cores} give way first. ${full} ${claim}`,
      claims: [full, claim],
      evidence: [supports(full), supports(claim)],
    })
  }
  return finding('inconclusive', 'cannot-tell', {
    mechanism: 'fixed work that more places do not speed up',
    sentence: `${curve.isReached ? `The speed-up ends at ${knee.n}` : `The speed-up stays far below ${top.n}`}, but what bounds it can't be told. ${claim}`,
    claims: [claim],
    evidence: [leavesOpen(claim)],
    ...(curve.isReached ? {} : { ceilingN: null }),
    missing: ['CPU use of all cores at each n.', 'The sum of the single jobs’ times, and the longest of them.'],
  })
}
