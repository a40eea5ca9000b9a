/** Is the machine under the server full? CPU of all cores, GPU, memory. GPU use alone is never a sign of a ceiling (field reports B2): rules ask for a falling pace as well. */
import type { Evidence } from '../analysis.ts'
import type { CaseFile, MeasuredFacts } from './case-file.ts'
import { leavesOpen, supports } from './finding.ts'

/** CPU or GPU in use from which it counts as full, together with a pace that falls. */
const FULL_PERCENT = 85
/** Less of the model on the GPU than this is a spill; below it, sizes differ by what is counted in. */
const SPILL_RATIO = 0.95
/** Swap that grew by so much under load, or memory in use to this share: there is no room left. */
const SWAP_BYTES = 256 * 2 ** 20
const MEMORY_RATIO = 0.97
/** Share of a server's memory for contexts from which it is full (R27: 95 %). */
const CACHE_RATIO = 0.95

export type MachineFinding = { readonly what: 'cpu' | 'gpu' | 'spill' | 'memory'; readonly mechanism: string; readonly evidence: Evidence }

export function fullMachine(file: CaseFile): MachineFinding | null {
  const { top, base } = file
  if (top === null || base === null) return null
  // What a simulated server does takes no machine: only what it tells of itself counts.
  const found = [spill(file), cacheFull(file, top), ...(file.isSimulated ? [] : [swapping(file, base, top), gpuFull(top), cpuFull(file, top)])]
  return found.find((finding) => finding !== null) ?? null
}

/** What could be seen of a machine that is not full. */
export function roomyMachine(file: CaseFile): Evidence | null {
  const { top } = file
  if (top === null || file.isSimulated) return null
  if (top.hardware.hostCpuPercentMean === null)
    return leavesOpen('There are no samples of the machine under this load, so it can’t be told whether the hardware is full.')
  return leavesOpen(cpuLine(file, top))
}

function spill({ state: { facts } }: CaseFile): MachineFinding | null {
  const whole = facts?.residentBytes ?? facts?.modelSizeBytes ?? null
  const onGpu = facts?.vramBytes ?? null
  if (whole === null || onGpu === null || onGpu <= 0 || onGpu >= SPILL_RATIO * whole) return null
  const text = `Part of the model lies outside the GPU memory: ${Math.round((100 * onGpu) / whole)} % of it is on the GPU.`
  return { what: 'spill', mechanism: 'model spills out of GPU memory', evidence: supports(text) }
}

function cacheFull(file: CaseFile, top: MeasuredFacts): MachineFinding | null {
  const { facts } = top
  if (!file.state.samples.some((sample) => sample.server !== undefined)) return null
  const [fromMs, toMs] = spanOf(facts.turns.map(({ row }) => row))
  const told = file.state.samples.filter((sample) => sample.atMs >= fromMs && sample.atMs <= toMs).flatMap((sample) => sample.server ?? [])
  const fullest = told.reduce((most, server) => Math.max(most, server.kvCacheRatio ?? 0), 0)
  const preempted = (told.at(-1)?.preemptions ?? 0) - (told[0]?.preemptions ?? 0)
  if (preempted <= 0 || fullest < CACHE_RATIO) return null
  const text = `The server's memory for contexts was ${Math.round(100 * fullest)} % full at ${top.summary.n} sessions, and it put ${preempted} requests back to make room.`
  return { what: 'memory', mechanism: 'KV memory full: requests are put back', evidence: supports(text) }
}

function spanOf(rows: readonly { readonly submitAtMs: number; readonly endAtMs: number }[]): [number, number] {
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const row of rows) {
    fromMs = Math.min(fromMs, row.submitAtMs)
    toMs = Math.max(toMs, row.endAtMs)
  }
  return [fromMs, toMs]
}

function swapping({ state }: CaseFile, base: MeasuredFacts, top: MeasuredFacts): MachineFinding | null {
  const swapped = (top.hardware.swapUsedBytesMax ?? 0) - (base.hardware.swapUsedBytesMax ?? 0)
  const used = (top.hardware.memoryUsedBytesMax ?? 0) / state.environment.memoryBytes
  if (swapped < SWAP_BYTES || used < MEMORY_RATIO) return null
  const text = `Memory was ${Math.round(100 * used)} % in use at ${top.summary.n} sessions, and ${(swapped / 2 ** 20).toFixed(0)} MiB more were swapped out than at ${base.summary.n}.`
  return { what: 'memory', mechanism: 'memory full: the machine swaps', evidence: supports(text) }
}

function gpuFull({ hardware, summary }: MeasuredFacts): MachineFinding | null {
  const { gpuUtilPercentMean } = hardware
  if (gpuUtilPercentMean === null || gpuUtilPercentMean < FULL_PERCENT) return null
  const text = `The GPU was in use ${gpuUtilPercentMean.toFixed(0)} % of the time at ${summary.n} sessions, while each answer slowed down.`
  return { what: 'gpu', mechanism: 'GPU shared by all answers', evidence: supports(text) }
}

/** Share of all the CPU in use that has to be the server's own: else something else has filled the machine. */
const SERVER_RATIO = 0.5

function cpuFull(file: CaseFile, top: MeasuredFacts): MachineFinding | null {
  const { hostCpuPercentMean, serverCpuPercentMean } = top.hardware
  if ((hostCpuPercentMean ?? 0) < FULL_PERCENT) return null
  if (serverCpuPercentMean !== null && serverCpuPercentMean < SERVER_RATIO * (hostCpuPercentMean ?? 0) * file.state.environment.cores) return null
  return { what: 'cpu', mechanism: 'all cores busy', evidence: supports(cpuLine(file, top)) }
}

function cpuLine({ state }: CaseFile, { hardware, summary }: MeasuredFacts): string {
  const { hostCpuPercentMean, serverCpuPercentMean } = hardware
  const server =
    serverCpuPercentMean === null ? '' : `, the model server took ${(serverCpuPercentMean / 100).toFixed(1)} of ${state.environment.cores} cores`
  return `All cores together were ${(hostCpuPercentMean ?? 0).toFixed(0)} % busy at ${summary.n} sessions${server}.`
}
