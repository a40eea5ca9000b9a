/**
 * A session's events as server-sent events on one connection. Events of one tick leave in one write; an event is turned into text once,
 * however many read it. A reader that does not read is let go, and can resume by the id of the last event that it has.
 */
import type { ServerResponse } from 'node:http'
import type { SessionEvent } from '../../../core/session/session-event.ts'
import type { SessionListener } from './session.ts'

/** What may wait in the socket for a reader; about 100,000 tokens. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** @param listen starts the events; undefined when the session has gone */
export function openEventFeed(response: ServerResponse, listen: (listener: SessionListener) => (() => void) | undefined): void {
  // Not in chunks, and closed at the end: a write is then the text alone.
  response.useChunkedEncodingByDefault = false
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', Connection: 'close' })
  response.flushHeaders()
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    response.write(text)
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy()
  }
  const stop = listen({
    onEvent(event) {
      // After all microtasks of this round: the chunks of one read of the model's socket leave together.
      if (waiting === '') process.nextTick(flush)
      waiting += frameOf(event)
    },
    onClosed() {
      const rest = waiting
      waiting = ''
      response.end(rest)
    },
  })
  response.on('close', () => stop?.())
  response.on('error', () => {})
  if (stop === undefined) response.end()
}

let lastEvent: SessionEvent | undefined
let lastFrame = ''

/** Kept for the next reader of the same event. */
function frameOf(event: SessionEvent): string {
  if (event === lastEvent) return lastFrame
  lastEvent = event
  // JSON text holds no line break, so it is one data line.
  lastFrame = `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`
  return lastFrame
}
