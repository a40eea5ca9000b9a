/** A table that others measured, as understood: rows of figures in named units, what was said of the set-up, and what was ignored and why. */

/** Every figure a column can be. The unit ends the name; `n` and the like are counts. */
export const FIGURES = [
  'n',
  'configuredSlots',
  'observedSlots',
  'configuredLimit',
  'observedInFlight',
  'observedRunning',
  'serverRunning',
  'serverWaiting',
  'inFlightAtSubmit',
  'decodeOverlap',
  'arrivalPerSec',
  'thinkMs',
  'wallMs',
  'latencyMeanMs',
  'latencyP50Ms',
  'latencyP90Ms',
  'latencyP95Ms',
  'latencyP99Ms',
  'ttftMeanMs',
  'ttftP50Ms',
  'ttftP90Ms',
  'ttftP95Ms',
  'ttftP99Ms',
  'prefillMs',
  'decodeMs',
  'loadMs',
  'queueMs',
  'tpotMs',
  'totalTokensPerSec',
  'recomputedTokensPerSec',
  'decodeTotalTokensPerSec',
  'decodeTokensPerSecPerRequest',
  'effectiveTokensPerSecPerRequest',
  'requestsPerSec',
  'tokensPerRequest',
  'totalTokens',
  'requests',
  'failures',
  'failurePercent',
  'successPercent',
  'rateLimited',
  'rateLimitedPercent',
  'gpuPercent',
  'cpuPercent',
  'memoryMib',
  'jobs',
  'sumJobMs',
  'slowestJobMs',
  'dispatchDelayMs',
  'loopLagMs',
  'preemptions',
  'clientCpuPercent',
  'serverCorePercent',
  'kvCacheRatio',
  'bandwidthPercent',
  'vramRatio',
  'connectMs',
  'ttftServerMs',
  'resets',
  'resetPercent',
  'slowestMs',
  'toolMs',
  'acceptMs',
  'succeeded',
] as const
export type Figure = (typeof FIGURES)[number]
export type Figures = { readonly [F in Figure]?: number }

export type MeasuredRow = {
  readonly figures: Figures
  /** Columns of words (model, server, arm …): rows of other words belong to another series. */
  readonly labels: Readonly<Record<string, string>>
}

export type Setting = string | number | boolean | null

/** What is said of the set-up. Read as evidence, never as identity. */
export type TableContext = {
  readonly server: string | null
  readonly hardware: string | null
  readonly model: string | null
  readonly load: string | null
  readonly settings: Readonly<Record<string, Setting>>
}

export type UnderstoodColumn = { readonly column: string; readonly figure: Figure | 'label'; readonly because: string | null }
export type IgnoredThing = { readonly what: string; readonly why: string }

/** A tool's own conclusion, shown beside ours. */
export type PublishedConclusion = { readonly by: string; readonly text: string }

export type MeasuredTable = {
  /** File, or the place inside it. */
  readonly source: string
  /** Which format it was read as: "CSV", "AIPerf", … */
  readonly format: string
  readonly context: TableContext
  readonly rows: readonly MeasuredRow[]
  readonly understood: readonly UnderstoodColumn[]
  readonly ignored: readonly IgnoredThing[]
  readonly published: readonly PublishedConclusion[]
}

export const NO_CONTEXT: TableContext = { server: null, hardware: null, model: null, load: null, settings: {} }

/** All that was said of the set-up as one lower-case text. */
export function contextText({ server, hardware, model, load, settings }: TableContext): string {
  const said = Object.entries(settings).map(([key, value]) => `${key}=${value}`)
  return [server, hardware, model, load, ...said]
    .filter((part) => part !== null)
    .join(' \n ')
    .toLowerCase()
}
