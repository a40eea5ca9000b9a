/** What main found on this machine, and what a sweep could be run against, best first. */
import type { Found } from '../../contract/endpoints/app.ts'
import type { Problem } from '../../core/result/problem.ts'
import type { Target } from '../../core/sweep/target.ts'
import type { PageConnection } from './page-connection.ts'
import { createStore, type ReadableStore } from './store.ts'

export type Discovery = {
  readonly status: 'looking' | 'known' | 'failed'
  readonly found: readonly Found[]
  readonly tookMs: number
  readonly lookedAtEpochMs: number
  readonly problem: Problem | null
}

export type TargetOption = { readonly target: Target; readonly label: string; readonly source: Found }

export type DiscoveryStore = ReadableStore<Discovery> & { look(): Promise<void> }

/** All that a sweep can be run against, in the order of fitness that main gave: servers first, then what is built in. */
export function targetOptions(found: readonly Found[]): TargetOption[] {
  const sources = found.filter((one) => one.found)
  const ordered = [...sources.filter((one) => one.kind === 'model-server'), ...sources.filter((one) => one.kind === 'engine')]
  return ordered.flatMap((source) => source.targets.map(({ label, target }) => ({ label, target, source })))
}

export const sameTarget = (a: Target | null | undefined, b: Target | null | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

export function createDiscoveryStore(connection: PageConnection): DiscoveryStore {
  const store = createStore<Discovery>({ status: 'looking', found: [], tookMs: 0, lookedAtEpochMs: 0, problem: null })
  let running: Promise<void> | undefined

  const ask = async () => {
    store.update((now) => ({ ...now, status: 'looking' }))
    const beganMs = performance.now()
    const answer = await connection.client.app.discover({})
    const tookMs = performance.now() - beganMs
    if (answer.ok) return store.set({ status: 'known', found: answer.value, tookMs, lookedAtEpochMs: Date.now(), problem: null })
    store.update((now) => ({ ...now, status: 'failed', tookMs, lookedAtEpochMs: Date.now(), problem: answer.error }))
  }
  const look = () => {
    running ??= ask().finally(() => {
      running = undefined
    })
    return running
  }
  connection.live(() => {
    if (store.get().status !== 'known') void look()
    return () => {}
  })
  return { get: store.get, subscribe: store.subscribe, look }
}
