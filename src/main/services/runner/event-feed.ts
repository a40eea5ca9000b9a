/**
 * A session's events as server-sent events on one connection. Events of one round of the event loop leave in one write; an event is turned into text once,
 * however many read it. A reader that does not read is let go, and can resume by the id of the last event that it has.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SessionEvent } from '../../../core/session/session-event.ts'
import type { SessionListener } from './session.ts'

/** What may wait in the socket for a reader; about 100,000 tokens. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** @param listen starts the events; undefined when the session has gone */
export function openEventFeed(response: ServerResponse, listen: (listener: SessionListener) => (() => void) | undefined): void {
  const { socket } = response
  if (socket === null) return
  // Not in chunks, and closed at the end: after its head the answer is the socket, and a write is the text alone.
  response.useChunkedEncodingByDefault = false
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', Connection: 'close' })
  response.flushHeaders()
  const feed = new Feed(socket, response)
  const stop = listen(feed)
  response.on('close', () => {
    feed.over = true
    stop?.()
  })
  response.on('error', () => {})
  if (stop === undefined) response.end()
}

class Feed implements SessionListener {
  over = false
  #waiting = ''
  readonly #socket: Socket
  readonly #response: ServerResponse

  constructor(socket: Socket, response: ServerResponse) {
    this.#socket = socket
    this.#response = response
  }

  onEvent(event: SessionEvent): void {
    if (this.#waiting === '') flushSoon(this)
    this.#waiting += frameOf(event)
  }

  onClosed(): void {
    this.flush()
    this.#response.end()
  }

  flush(): void {
    const text = this.#waiting
    this.#waiting = ''
    if (text === '' || this.over) return
    this.#socket.write(text)
    if (this.#socket.writableLength > MAX_WAITING_BYTES) this.#response.destroy()
  }
}

let unflushed: Feed[] = []

/** At the end of this round of the event loop, all feeds one after another. */
function flushSoon(feed: Feed): void {
  unflushed.push(feed)
  if (unflushed.length === 1) setImmediate(flushAll)
}

function flushAll(): void {
  const feeds = unflushed
  unflushed = []
  for (const feed of feeds) feed.flush()
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
