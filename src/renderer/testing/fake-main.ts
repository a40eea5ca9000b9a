/**
 * Main as the page sees it, in memory, for component tests: the real contract over the real wire, with answers that a test sets.
 * Owns no timers; everything happens when the test says so.
 */
import type { AppInfo, Found, Settings } from '../../contract/endpoints/app.ts'
import { contract, type PlimsollContract } from '../../contract/endpoints/index.ts'
import type { SweepListItem } from '../../contract/endpoints/sweeps.ts'
import { connect } from '../../contract/wire/connect.ts'
import type { Api, Sink } from '../../contract/wire/endpoint-types.ts'
import { serve } from '../../contract/wire/serve.ts'
import { memoryTransportPair } from '../../contract/wire/transports/memory.ts'
import type { Sample } from '../../core/metric/sample.ts'
import { type SweepId, sweepIdSchema } from '../../core/result/ids.ts'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok } from '../../core/result/result.ts'
import { estimateSweep } from '../../core/sweep/estimate.ts'
import type { SweepRequest } from '../../core/sweep/plan.ts'
import type { SweepEvent, SweepLive } from '../../core/sweep/sweep-event.ts'
import { IDLE_TUNE, type TuneRequest, type TuneState } from '../../core/sweep/tune.ts'
import type { ConnectionState, PageConnection } from '../stores/page-connection.ts'

const notHere = problem('not-here', 'The fake main has none of this.', '', '')

/** Values that every viewer gets: the latest at once, then each new one. */
function channel<T>(initial?: T) {
  const sinks = new Set<Sink<T>>()
  let value = initial
  return {
    open(out: Sink<T>) {
      sinks.add(out)
      if (value !== undefined) void out.next(value)
      return () => {
        sinks.delete(out)
      }
    },
    send(next: T) {
      value = next
      for (const out of sinks) void out.next(next)
    },
    viewers: () => sinks.size,
  }
}

export type FakeSweep = { events: SweepEvent[]; sinks: Set<Sink<SweepEvent[]>>; live: Set<Sink<SweepLive>> }

export type FakeMain = {
  readonly connection: PageConnection
  /** What the page asked for, in order. */
  readonly started: SweepRequest[]
  readonly cancelled: SweepId[]
  readonly removed: SweepId[]
  readonly exported: SweepId[]
  readonly layouts: Map<string, string>
  settings(): Settings
  setFound(found: readonly Found[]): void
  /** The next calls of start answer with this. */
  refuseStart(problem: Problem | null): void
  list(items: readonly SweepListItem[]): void
  feed(sweepId: SweepId, events: readonly SweepEvent[]): void
  live(sweepId: SweepId, live: SweepLive): void
  sample(sample: Sample): void
  readonly tuned: TuneRequest[]
  /** Names of the report files that came back. */
  readonly imported: string[]
  tune(state: TuneState): void
  /** Cuts the connection, as a main that died would; `restore` opens it anew. */
  lose(): void
  restore(): void
}

export const fakeSweepId = (n: number): SweepId => sweepIdSchema.parse(`sweep-${n}`)

const INFO: AppInfo = {
  version: '0.1.0',
  host: 'web',
  dataDir: '/home/ada/.local/share/plimsoll',
  runnerUrl: 'http://127.0.0.1:4317',
  homeDir: '/home/ada',
  shell: '/bin/bash',
  platform: 'linux',
}
const SETTINGS: Settings = { runnerLimit: 4, theme: 'system', terminalFontSize: 13, webgl: 'auto', backgroundTitle: true, backgroundMemory: true }

type FakeState = Omit<FakeMain, 'connection' | 'lose' | 'restore'> & { readonly api: Api<PlimsollContract> }

function createFakeState(): FakeState {
  const sweeps = new Map<SweepId, FakeSweep>()
  const layouts = new Map<string, string>()
  const [started, cancelled, removed, exported]: [SweepRequest[], SweepId[], SweepId[], SweepId[]] = [[], [], [], []]
  const settingsChannel = channel<Settings>(SETTINGS)
  const listChannel = channel<SweepListItem[]>([])
  const samples = channel<Sample>()
  const tune = channel<TuneState>(IDLE_TUNE)
  const tuned: TuneRequest[] = []
  const imported: string[] = []
  let settings = SETTINGS
  let found: readonly Found[] = []
  let refusal: Problem | null = null

  const sweep = (sweepId: SweepId) => {
    const known = sweeps.get(sweepId) ?? { events: [], sinks: new Set(), live: new Set() }
    sweeps.set(sweepId, known)
    return known
  }
  const api: Api<PlimsollContract> = {
    app: {
      info: () => ok(INFO),
      discover: () => ok([...found]),
      settings: (_input, out) => settingsChannel.open(out),
      saveSettings(change) {
        settings = { ...settings, ...change }
        settingsChannel.send(settings)
        return ok(settings)
      },
      keys: () => ok({ canSave: false, names: [] }),
      saveKey: () => err(notHere),
      removeKey: () => err(notHere),
      loadLayout: ({ key }) => ok({ json: layouts.get(key) ?? null }),
      saveLayout({ key, json }) {
        layouts.set(key, json)
        return ok({})
      },
    },
    sweeps: {
      estimate: (request) => ok(estimateSweep(request)),
      start(request) {
        if (refusal !== null) return err(refusal)
        started.push(request)
        return ok({ sweepId: fakeSweepId(started.length) })
      },
      resume: ({ sweepId }) => ok({ sweepId }),
      extend: ({ sweepId }) => ok({ sweepId }),
      cancel({ sweepId }) {
        cancelled.push(sweepId)
        return ok({})
      },
      list: (_input, out) => listChannel.open(out),
      events({ sweepId }, out) {
        const { events, sinks } = sweep(sweepId)
        if (events.length > 0) void out.next([...events])
        sinks.add(out)
        return () => {
          sinks.delete(out)
        }
      },
      live({ sweepId }, out) {
        const { live } = sweep(sweepId)
        live.add(out)
        return () => {
          live.delete(out)
        }
      },
      exportReport({ sweepId }) {
        exported.push(sweepId)
        return ok({ fileName: 'plimsoll-sweep.html', mediaType: 'text/html', content: '<!doctype html>', path: '/home/ada/plimsoll-sweep.html' })
      },
      importReport({ fileName }) {
        imported.push(fileName)
        return ok({ sweepId: fakeSweepId(1), isNew: true })
      },
      compare: () => err(notHere),
      remove({ sweepId }) {
        removed.push(sweepId)
        return ok({})
      },
    },
    chats: {
      list: () => () => {},
      create: () => err(notHere),
      post: () => err(notHere),
      cancel: () => err(notHere),
      close: () => err(notHere),
      events: () => () => {},
      latencies: () => () => {},
    },
    terminals: {
      list: () => () => {},
      open: () => err(notHere),
      write: () => err(notHere),
      resize: () => err(notHere),
      close: () => err(notHere),
      output: () => () => {},
    },
    metrics: { samples: (_input, out) => samples.open(out), history: () => ok([]) },
    tune: {
      start(request) {
        tuned.push(request)
        return ok({})
      },
      cancel: () => ok({}),
      state: (_input, out) => tune.open(out),
    },
  }
  return {
    api,
    started,
    cancelled,
    removed,
    exported,
    layouts,
    settings: () => settings,
    setFound(next) {
      found = next
    },
    refuseStart(next) {
      refusal = next
    },
    list: (items) => listChannel.send([...items]),
    feed(sweepId, events) {
      const known = sweep(sweepId)
      known.events.push(...events)
      for (const out of known.sinks) void out.next([...events])
    },
    live(sweepId, live) {
      for (const out of sweep(sweepId).live) void out.next(live)
    },
    sample: samples.send,
    tuned,
    imported,
    tune: tune.send,
  }
}

export function createFakeMain(): FakeMain {
  const { api, ...state } = createFakeState()
  const listeners = new Set<() => void>()
  const lives = new Map<object, { open: (client: PageConnection['client']) => () => void; stop: () => void }>()
  let connectionState: ConnectionState = { status: 'connecting', generation: 0, problem: null }

  const open = () => {
    const [main, page] = memoryTransportPair()
    serve(contract, api, main, {
      checkOutputs: true,
      reportBug(path, cause) {
        console.error(path, cause)
        return 'fake'
      },
    })
    return { client: connect(contract, page), close: () => main.close() }
  }
  let wire = open()
  const change = (next: Partial<ConnectionState>) => {
    connectionState = { ...connectionState, ...next }
    for (const listener of listeners) listener()
  }
  const restore = () => {
    if (connectionState.status === 'lost') wire = open()
    change({ status: 'open', generation: connectionState.generation + 1 })
    for (const live of lives.values()) live.stop = live.open(wire.client)
  }
  restore()

  const connection: PageConnection = {
    get client() {
      return wire.client
    },
    state: () => connectionState,
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    live(openLive) {
      const live = { open: openLive, stop: connectionState.status === 'open' ? openLive(wire.client) : () => {} }
      lives.set(live, live)
      return () => {
        lives.delete(live)
        live.stop()
      }
    },
    retryNow: () => {},
  }
  return {
    ...state,
    connection,
    restore,
    lose() {
      wire.close()
      for (const live of lives.values()) live.stop()
      change({ status: 'lost' })
    },
  }
}
