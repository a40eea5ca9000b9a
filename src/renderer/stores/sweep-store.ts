/**
 * One opened sweep: its events folded by core, its analysis, the lanes of its current wave. A finished sweep and a running one are the same fold;
 * only the live lanes are not stored. Published at most four times a second; analysed at most once a second, after a cell or the sweep has ended.
 */
import type { Analysis } from '../../core/analysis/analysis.ts'
import type { SweepId } from '../../core/result/ids.ts'
import type { Problem } from '../../core/result/problem.ts'
import { createSweepFold, type SweepFold, type SweepState } from '../../core/sweep/fold-sweep.ts'
import type { SweepEvent, SweepLive } from '../../core/sweep/sweep-event.ts'
import { createPace } from './pace.ts'
import type { PageConnection } from './page-connection.ts'
import { createStore, type ReadableStore } from './store.ts'

export type OpenSweep = {
  readonly state: SweepState | undefined
  /** Of the cells that had ended when it was made; undefined before the first one. */
  readonly analysis: Analysis | undefined
  readonly live: SweepLive | undefined
  /** Why there is nothing to show, or why nothing more comes. */
  readonly problem: Problem | null
}

export type SweepStore = ReadableStore<OpenSweep> & {
  /** Watches it anew: it has ended, and now goes on. */
  reopen(): void
  close(): void
}

export type SweepStoreDeps = {
  readonly connection: PageConnection
  analyse(state: SweepState): Analysis
  /** A bug in the analysis must not take the page with it. */
  onBug(cause: unknown): void
}

const PUBLISH_EVERY_MS = 250
const ANALYSE_EVERY_MS = 1_000
const NOTHING: OpenSweep = { state: undefined, analysis: undefined, live: undefined, problem: null }

const endsSomething = (event: SweepEvent) => event.type === 'cell-ended' || event.type === 'cell-void' || event.type === 'sweep-ended'

export function createSweepStore(sweepId: SweepId, { connection, analyse, onBug }: SweepStoreDeps): SweepStore {
  const store = createStore<OpenSweep>(NOTHING)
  let fold: SweepFold = createSweepFold()

  let lanes: SweepLive | undefined
  // Rows and lanes come at their own beats; one publication for both halves the redraws.
  const publish = createPace(() => {
    const state = fold.state()
    store.update((now) => ({ ...now, state, live: state?.status === 'running' ? lanes : undefined }))
  }, PUBLISH_EVERY_MS)
  const analysis = createPace(() => {
    const state = fold.state()
    if (state === undefined) return
    try {
      const next = analyse(state)
      store.update((now) => ({ ...now, state, analysis: next }))
    } catch (cause) {
      onBug(cause)
    }
  }, ANALYSE_EVERY_MS)

  const take = (events: readonly SweepEvent[]) => {
    for (const event of events) fold.apply(event)
    publish.request()
    if (events.some(endsSomething)) analysis.request()
    // "Completed" never stands beside the verdict of an earlier moment.
    if (events.some((event) => event.type === 'sweep-ended')) analysis.flush()
  }
  const watch = () =>
    connection.live((client) => {
      fold = createSweepFold()
      const stopEvents = client.sweeps.events(
        { sweepId },
        {
          next: take,
          error(problem) {
            // A lost connection is said elsewhere, and the events come again.
            if (connection.state().status === 'open') store.update((now) => ({ ...now, problem }))
          },
        },
      )
      const stopLive = client.sweeps.live(
        { sweepId },
        {
          next(live) {
            lanes = live
            publish.request()
          },
        },
      )
      return () => {
        stopEvents()
        stopLive()
      }
    })
  let stop = watch()
  return {
    get: store.get,
    subscribe: store.subscribe,
    reopen() {
      stop()
      stop = watch()
    },
    close() {
      stop()
      publish.close()
      analysis.close()
    },
  }
}

/** How many sweeps stay folded after they left the screen; opening one again is instant then. */
const KEPT_OPEN = 4

export type OpenSweeps = {
  /** Opens a sweep or finds it open. */
  get(sweepId: SweepId): SweepStore
  close(): void
}

export function createOpenSweeps(deps: SweepStoreDeps): OpenSweeps {
  /** In the order of use, latest last. */
  const open = new Map<SweepId, SweepStore>()
  return {
    get(sweepId) {
      const store = open.get(sweepId) ?? createSweepStore(sweepId, deps)
      open.delete(sweepId)
      open.set(sweepId, store)
      for (const [id, oldest] of open) {
        if (open.size <= KEPT_OPEN) break
        oldest.close()
        open.delete(id)
      }
      return store
    },
    close() {
      for (const store of open.values()) store.close()
      open.clear()
    },
  }
}
