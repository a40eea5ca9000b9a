/**
 * The page's one connection to main: opens it, sees it go, opens it again with growing pauses.
 * Calls go through `client`; streams through `live`, which opens them anew after each reconnect.
 */

import { connect } from '../../contract/wire/connect.ts'
import type { Contract } from '../../contract/wire/define.ts'
import type { Client } from '../../contract/wire/endpoint-types.ts'
import type { Transport } from '../../contract/wire/transport.ts'
import type { Problem } from '../../core/result/problem.ts'

export type ConnectionState = {
  /** `lost`: was open, tries again. `refused`: main is there but does not take this page; only a new link helps. */
  readonly status: 'connecting' | 'open' | 'lost' | 'refused'
  /** How many times it has been opened; a store that sees it grow starts afresh. */
  readonly generation: number
  /** What a person should read while it is not open. */
  readonly problem: Problem | null
}

export type Opened = { ok: true; transport: Transport } | { ok: false; problem: Problem; retry: boolean }

export interface ConnectionDeps {
  /** Resolves when the transport is open, or with why it is not. Never rejects. */
  open(): Promise<Opened>
  /** Calls back once; returns what cancels. */
  after(delayMs: number, callback: () => void): () => void
}

export interface Connection<C extends Contract> {
  /** The client of now. Ask for it at each use: after a reconnect it is another one. While not open its calls answer `connection-lost`. */
  readonly client: Client<C>
  state(): ConnectionState
  subscribe(listener: () => void): () => void
  /**
   * Runs `open` as soon as the connection is open, and again after each reconnect; what it returned is called before the next run and at the end.
   * The place for streams: `connection.live((client) => client.sweeps.list({}, { next: show }))`.
   */
  live(open: (client: Client<C>) => () => void): () => void
  /** Tries at once instead of at the end of the pause. */
  retryNow(): void
  close(): void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** A transport that never was. */
const closedTransport: Transport = { send: () => {}, listen: (handlers) => handlers.closed(), close: () => {} }

type Live<C extends Contract> = { open: (client: Client<C>) => () => void; stop: (() => void) | undefined }

export function createConnection<C extends Contract>(contract: C, deps: ConnectionDeps): Connection<C> {
  let client = connect(contract, closedTransport)
  let transport: Transport | undefined
  let state: ConnectionState = { status: 'connecting', generation: 0, problem: null }
  let pauseMs = FIRST_PAUSE_MS
  let cancelRetry: (() => void) | undefined
  let opening = false
  let ended = false
  const listeners = new Set<() => void>()
  const lives = new Set<Live<C>>()

  const setState = (change: Partial<ConnectionState>) => {
    state = { ...state, ...change }
    for (const listener of [...listeners]) listener()
  }

  const stopLive = (live: Live<C>) => {
    live.stop?.()
    live.stop = undefined
  }

  const retryLater = () => {
    if (ended) return
    cancelRetry = deps.after(pauseMs, () => void tryOpen())
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }

  const lost = (problem: Problem | null) => {
    for (const live of lives) stopLive(live)
    transport = undefined
    if (ended) return
    setState({ status: state.generation === 0 ? 'connecting' : 'lost', problem })
    retryLater()
  }

  async function tryOpen(): Promise<void> {
    if (opening || ended || transport !== undefined) return
    cancelRetry?.()
    cancelRetry = undefined
    opening = true
    const opened = await deps.open()
    opening = false
    if (ended) {
      if (opened.ok) opened.transport.close()
      return
    }
    if (opened.ok) return accept(opened.transport)
    if (opened.retry) return lost(opened.problem)
    setState({ status: 'refused', problem: opened.problem })
  }

  const accept = (opened: Transport) => {
    let gone = false
    transport = opened
    client = connect(contract, opened, {
      closed: () => {
        gone = true
        lost(null)
      },
    })
    if (gone) return
    pauseMs = FIRST_PAUSE_MS
    setState({ status: 'open', generation: state.generation + 1, problem: null })
    for (const live of lives) live.stop ??= live.open(client)
  }

  void tryOpen()

  return {
    get client() {
      return client
    },
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    live(open) {
      const live: Live<C> = { open, stop: state.status === 'open' ? open(client) : undefined }
      lives.add(live)
      return () => {
        lives.delete(live)
        stopLive(live)
      }
    },
    retryNow() {
      if (state.status === 'open') return
      pauseMs = FIRST_PAUSE_MS
      void tryOpen()
    },
    close() {
      ended = true
      cancelRetry?.()
      for (const live of lives) stopLive(live)
      lives.clear()
      transport?.close()
    },
  }
}
