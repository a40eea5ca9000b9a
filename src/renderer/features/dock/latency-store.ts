/** Latencies of ended turns, for the dock; at most two updates a second however many turns end. */
import type { TurnLatency } from '../../../contract/endpoints/chats.ts'
import { createPace } from '../../stores/pace.ts'
import { createStore, type ReadableStore } from '../../stores/store.ts'
import type { Stores } from '../../stores/stores.tsx'

const KEPT = 2_000
const EVERY_MS = 500

const made = new WeakMap<Stores, ReadableStore<readonly TurnLatency[]>>()

/** The one latency store of a page. */
export function latenciesOfPage(stores: Stores): ReadableStore<readonly TurnLatency[]> {
  const known = made.get(stores)
  if (known !== undefined) return known
  const store = createStore<readonly TurnLatency[]>([])
  let kept: TurnLatency[] = []
  const pace = createPace(() => store.set(kept), EVERY_MS)
  stores.connection.live((client) => {
    kept = []
    return client.chats.latencies(
      {},
      {
        next(batch) {
          kept = [...kept, ...batch].slice(-KEPT)
          pace.request()
        },
      },
    )
  })
  made.set(stores, store)
  return store
}
