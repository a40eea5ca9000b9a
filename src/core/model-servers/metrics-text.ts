/** Reads Prometheus' text format, as far as model servers use it: one value a line, labels in braces. Lines that it can't read are left out. */

export interface MetricValue {
  readonly name: string
  readonly labels: string
  readonly value: number
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/

export function readMetricsText(text: string): MetricValue[] {
  return text.split('\n').flatMap((line) => {
    const match = line.startsWith('#') ? null : LINE.exec(line.trim())
    const value = match === null ? Number.NaN : Number(match[3])
    return match === null || !Number.isFinite(value) ? [] : [{ name: match[1] ?? '', labels: match[2] ?? '', value }]
  })
}

/** What a server under load says of its queue at one moment; null = it does not say. */
export interface ServerGauges {
  readonly running: number | null
  readonly waiting: number | null
  /** Of the memory for contexts, 0 to 1. */
  readonly kvCacheRatio: number | null
  /** Counts from the server's start. */
  readonly preemptions: number | null
}

/** Names that servers give to the same thing, newest first; series of several engines or models are summed, ratios are the largest. */
const NAMES = {
  running: ['vllm:num_requests_running', 'llamacpp:requests_processing', 'sglang:num_running_reqs', 'tgi_batch_current_size'],
  waiting: ['vllm:num_requests_waiting', 'llamacpp:requests_deferred', 'sglang:num_queue_reqs', 'tgi_queue_size'],
  kvCacheRatio: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc', 'llamacpp:kv_cache_usage_ratio', 'sglang:token_usage'],
  preemptions: ['vllm:num_preemptions_total', 'vllm:num_preemptions'],
} as const

/** @returns null when none of the known series is there */
export function readGauges(values: readonly MetricValue[]): ServerGauges | null {
  const of = (names: readonly string[], fold: (found: number[]) => number): number | null => {
    for (const name of names) {
      const found = values.filter((metric) => metric.name === name).map(({ value }) => value)
      if (found.length > 0) return fold(found)
    }
    return null
  }
  const sum = (found: number[]) => found.reduce((total, value) => total + value, 0)
  const gauges = {
    running: of(NAMES.running, sum),
    waiting: of(NAMES.waiting, sum),
    kvCacheRatio: of(NAMES.kvCacheRatio, (found) => Math.max(...found)),
    preemptions: of(NAMES.preemptions, sum),
  }
  return Object.values(gauges).every((value) => value === null) ? null : gauges
}

/** What has come since `before`: requests of others that ran already are not ours. Never negative, since a restart counts from zero. */
export function gaugesSince(before: ServerGauges, now: ServerGauges): ServerGauges {
  const more = (from: number | null, to: number | null) => (to === null ? null : Math.max(0, to - (from ?? 0)))
  return {
    running: more(before.running, now.running),
    waiting: more(before.waiting, now.waiting),
    kvCacheRatio: now.kvCacheRatio,
    preemptions: more(before.preemptions, now.preemptions),
  }
}
