/** What the stores need of the connection: the typed client of now, streams that come back after a loss, and how it stands. connection/ makes one, tests make another. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Client } from '../../contract/wire/endpoint-types.ts'
import type { Problem } from '../../core/result/problem.ts'

export type PageClient = Client<PlimsollContract>

export type ConnectionState = {
  readonly status: 'connecting' | 'open' | 'lost' | 'refused'
  readonly generation: number
  readonly problem: Problem | null
}

export type PageConnection = {
  /** After a reconnect it is another one, so ask at each use. */
  readonly client: PageClient
  state(): ConnectionState
  subscribe(listener: () => void): () => void
  /** Runs `open` whenever the connection opens; what it returned is called before the next run and at the end. */
  live(open: (client: PageClient) => () => void): () => void
  retryNow(): void
}
