/** Sends a history and what follows it in batches: one large message would stand in the way of all others. */
import type { Sink } from '../../contract/wire/endpoint-types.ts'

const BATCH_EVENTS = 200

/** Nothing is sent for an empty list. */
export function sendBatches<T>(out: Sink<T[]>, values: readonly T[]): void {
  for (let at = 0; at < values.length; at += BATCH_EVENTS) void out.next(values.slice(at, at + BATCH_EVENTS))
}
