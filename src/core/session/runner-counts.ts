/** What the runner has done since it began, as counters and histograms, and their Prometheus text (exposition format 0.0.4). */
import type { Outcome, TurnTimeline } from './timeline.ts'

/** Upper bounds in seconds: from what the runner itself adds to what a long queue costs. */
const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

interface Histogram {
  /** Per bound, not cumulative; the last one counts what lies above all bounds. */
  readonly counts: number[]
  sum: number
}

export interface RunnerCounts {
  readonly turns: Record<Outcome, number>
  readonly modelCalls: Record<Outcome, number>
  readonly outputTokens: { count: number }
  readonly durations: Readonly<Record<DurationName, Histogram>>
}

type DurationName = 'ttfa' | 'first_model_request' | 'done' | 'wall'

const DURATIONS: Readonly<Record<DurationName, string>> = {
  ttfa: 'Time from acceptance to the first activity that a person can see.',
  first_model_request: 'Time from acceptance to the first request to the model server.',
  done: 'Time from acceptance to the whole answer.',
  wall: 'Time from acceptance to the end of background work.',
}

export function openRunnerCounts(): RunnerCounts {
  const histogram = (): Histogram => ({ counts: new Array<number>(BOUNDS_SECONDS.length + 1).fill(0), sum: 0 })
  return {
    turns: { completed: 0, failed: 0, cut: 0 },
    modelCalls: { completed: 0, failed: 0, cut: 0 },
    outputTokens: { count: 0 },
    durations: { ttfa: histogram(), first_model_request: histogram(), done: histogram(), wall: histogram() },
  }
}

/** Changes `counts`. */
export function countTurn(counts: RunnerCounts, timeline: TurnTimeline): void {
  counts.turns[timeline.outcome] += 1
  for (const call of timeline.calls) {
    counts.modelCalls[call.outcome] += 1
    counts.outputTokens.count += call.outputTokens ?? 0
  }
  const since = (histogram: Histogram, atMs: number | null) => {
    if (atMs !== null) observe(histogram, (atMs - timeline.acceptedAtMs) / 1_000)
  }
  since(counts.durations.ttfa, timeline.firstActivityAtMs)
  since(counts.durations.first_model_request, timeline.firstModelRequestAtMs)
  since(counts.durations.done, timeline.doneAtMs)
  since(counts.durations.wall, timeline.backgroundEndAtMs)
}

function observe(histogram: Histogram, seconds: number): void {
  const at = BOUNDS_SECONDS.findIndex((bound) => seconds <= bound)
  const bucket = at === -1 ? BOUNDS_SECONDS.length : at
  histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1
  histogram.sum += seconds
}

export interface RunnerGaugeValues {
  readonly inFlight: number
  readonly queued: number
  readonly limit: number
  readonly sessions: number
  readonly loopActiveSeconds: number
  readonly loopIdleSeconds: number
  readonly loopDelaySeconds: { readonly p50: number; readonly p99: number; readonly max: number }
}

export function runnerMetricsText(counts: RunnerCounts, gauges: RunnerGaugeValues): string {
  return [
    metric('plimsoll_turns_in_flight', 'gauge', 'Turns that run now.', [['', gauges.inFlight]]),
    metric('plimsoll_turns_queued', 'gauge', 'Turns that wait for admission.', [['', gauges.queued]]),
    metric('plimsoll_turns_limit', 'gauge', 'Chat turns that may run at once.', [['', gauges.limit]]),
    metric('plimsoll_sessions', 'gauge', 'Sessions that are open.', [['', gauges.sessions]]),
    metric('plimsoll_turns_total', 'counter', 'Turns that have ended, by outcome.', byOutcome(counts.turns)),
    metric('plimsoll_model_calls_total', 'counter', 'Requests to model servers that have ended, by outcome.', byOutcome(counts.modelCalls)),
    metric('plimsoll_output_tokens_total', 'counter', 'Tokens that model servers gave.', [['', counts.outputTokens.count]]),
    ...Object.entries(DURATIONS).map(([name, help]) => histogramText(`plimsoll_turn_${name}_seconds`, help, counts.durations[name as DurationName])),
    metric('plimsoll_event_loop_seconds_total', 'counter', 'Time of the event loop, busy and idle.', [
      ['{state="active"}', gauges.loopActiveSeconds],
      ['{state="idle"}', gauges.loopIdleSeconds],
    ]),
    metric('plimsoll_event_loop_delay_seconds', 'gauge', 'Delay of the event loop since the last reading.', [
      ['{quantile="0.5"}', gauges.loopDelaySeconds.p50],
      ['{quantile="0.99"}', gauges.loopDelaySeconds.p99],
      ['{quantile="1"}', gauges.loopDelaySeconds.max],
    ]),
  ].join('')
}

function byOutcome(values: Record<Outcome, number>): [string, number][] {
  return Object.entries(values).map(([outcome, value]) => [`{outcome="${outcome}"}`, value])
}

function metric(name: string, type: string, help: string, samples: readonly [string, number][]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(([labels, value]) => `${name}${labels} ${value}\n`).join('')}`
}

function histogramText(name: string, help: string, histogram: Histogram): string {
  let total = 0
  const buckets = BOUNDS_SECONDS.map((bound, i) => {
    total += histogram.counts[i] ?? 0
    return `${name}_bucket{le="${bound}"} ${total}\n`
  })
  total += histogram.counts[BOUNDS_SECONDS.length] ?? 0
  return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${buckets.join('')}${name}_bucket{le="+Inf"} ${total}\n${name}_sum ${histogram.sum}\n${name}_count ${total}\n`
}
