/** The last minute of samples, for the strip and its charts. A new array comes with each sample, at most four a second. */
import type { Sample } from '../../core/metric/sample.ts'
import type { PageConnection } from './page-connection.ts'
import { createStore, type ReadableStore } from './store.ts'

export const KEPT_MS = 60_000

export type MetricsStore = ReadableStore<readonly Sample[]>

const recent = (samples: readonly Sample[], latest: Sample) =>
  samples.filter((sample) => sample.atMs > latest.atMs - KEPT_MS && sample.atMs < latest.atMs)

export function createMetricsStore(connection: PageConnection): MetricsStore {
  const store = createStore<readonly Sample[]>([])
  connection.live((client) => {
    store.set([])
    void client.metrics.history({ seconds: KEPT_MS / 1000 }).then((answer) => {
      const oldest = store.get()[0]?.atMs ?? Number.POSITIVE_INFINITY
      if (answer.ok) store.update((now) => [...answer.value.filter((sample) => sample.atMs < oldest), ...now])
    })
    return client.metrics.samples({}, { next: (sample) => store.update((now) => [...recent(now, sample), sample]) })
  })
  return store
}
