/** How an endpoint is declared: a call (one answer, or a Problem) or a stream. Knows no transport. */
import type { z } from 'zod'

export type CallEndpoint<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly kind: 'call'
  readonly input: I
  readonly output: O
}

/**
 * `every`: ordered, nothing dropped, held back by credit. `latest`: only the newest value matters, older ones may be dropped.
 * `bytes`: ordered Uint8Array chunks, credit counts bytes; for terminals.
 */
export type Delivery = 'every' | 'latest' | 'bytes'

export type StreamEndpoint<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly kind: 'stream'
  readonly input: I
  readonly output: O
  readonly delivery: Delivery
}

export type Endpoint = CallEndpoint | StreamEndpoint
/** Two floors: subject, then endpoint. */
export type Contract = { readonly [subject: string]: { readonly [name: string]: Endpoint } }

export const call = <I extends z.ZodType, O extends z.ZodType>(shape: { input: I; output: O }): CallEndpoint<I, O> => ({ kind: 'call', ...shape })
export const stream = <I extends z.ZodType, O extends z.ZodType>(shape: { input: I; output: O; delivery: Delivery }): StreamEndpoint<I, O> => ({
  kind: 'stream',
  ...shape,
})
