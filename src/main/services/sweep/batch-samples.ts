/** Brings the sampler's samples onto the sweep's clock, in batches of at most a second. */
import type { Sample } from '../../../core/metric/sample.ts'
import type { SweepEvent } from '../../../core/sweep/sweep-event.ts'
import type { Clock } from '../../platform/clock.ts'

const BATCH_MS = 1_000

export function batchSamples({
  clock,
  originMs,
  watch,
  emit,
}: {
  readonly clock: Clock
  readonly originMs: number
  readonly watch: (listener: (sample: Sample) => void) => () => void
  readonly emit: (events: readonly SweepEvent[]) => void
}): { close(): void } {
  let batch: Sample[] = []
  let stopTimer = () => {}
  const flush = () => {
    stopTimer()
    stopTimer = () => {}
    const last = batch.at(-1)
    if (last === undefined) return
    emit([{ type: 'samples', atMs: last.atMs, samples: batch }])
    batch = []
  }
  const stopWatching = watch((sample) => {
    if (batch.length === 0) stopTimer = clock.after(BATCH_MS, flush)
    batch.push({ ...sample, atMs: sample.atMs - originMs })
  })
  return {
    close() {
      stopWatching()
      flush()
    },
  }
}
