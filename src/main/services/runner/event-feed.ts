/**
 * A session's events as server-sent events on one connection. What one read of a model's socket brings leaves in one write; an event is turned into text once,
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
  feed.replayed()
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
  /** A flush at the end of this tick is planned. */
  #hurried = false
  #limitBytes = MAX_WAITING_BYTES
  readonly #socket: Socket
  readonly #response: ServerResponse

  constructor(socket: Socket, response: ServerResponse) {
    this.#socket = socket
    this.#response = response
  }

  onEvent(event: SessionEvent): void {
    this.#waiting += frameOf(event)
    if (this.#hurried) return
    this.#hurried = !UNHURRIED.has(event.type)
    if (this.#hurried) flushNow(this)
    else flushLater(this)
  }

  onClosed(): void {
    this.flush()
    this.#response.end()
  }

  /** What was said before may be long, and is wanted whole. */
  replayed(): void {
    this.#limitBytes += 2 * this.#waiting.length
  }

  flush(): void {
    const text = this.#waiting
    this.#waiting = ''
    this.#hurried = false
    if (text === '' || this.over) return
    this.#socket.write(text)
    if (this.#socket.writableLength > this.#limitBytes) this.#response.destroy()
  }
}

/** Nobody waits for these alone: they leave with the first that somebody can see, if it comes soon. */
const UNHURRIED: ReadonlySet<SessionEvent['type']> = new Set(['turn-accepted', 'turn-started', 'call-sent'])
const UNHURRIED_MS = 2

let hurried: Feed[] = []
let unhurried: Feed[] = []

/** When what runs now and the microtasks it made are done: all that one read of a model's socket brought. Not later, for others may be many. */
function flushNow(feed: Feed): void {
  hurried.push(feed)
  if (hurried.length === 1) process.nextTick(flushHurried)
}

function flushLater(feed: Feed): void {
  unhurried.push(feed)
  if (unhurried.length === 1) setTimeout(flushUnhurried, UNHURRIED_MS)
}

function flushHurried(): void {
  const feeds = hurried
  hurried = []
  for (const feed of feeds) feed.flush()
}

function flushUnhurried(): void {
  const feeds = unhurried
  unhurried = []
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
