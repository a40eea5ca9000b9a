/** In a browser: opens a WebSocket to the host that served the page. The cookie set by the link from the terminal is its key. */
import { webSocketTransport } from '../../contract/wire/transports/web-socket.ts'
import { problem } from '../../core/result/problem.ts'
import type { Opened } from './connection.ts'

const notThere = problem(
  'host-unreachable',
  `Plimsoll does not answer at ${window.location.host}.`,
  '',
  'See whether `plimsoll serve` still runs there; this page connects again by itself.',
)
const signedOut = problem(
  'signed-out',
  'This page has no key for the Plimsoll that runs now.',
  'Each start makes new links, and each link works once.',
  'Open the link that stands in the terminal where `plimsoll serve` runs.',
)

/** A refused WebSocket gives no reason; the host tells it here. */
async function whyNot(): Promise<Opened> {
  try {
    const answer = await fetch('/session', { cache: 'no-store' })
    if (answer.status === 401 || answer.status === 403) return { ok: false, problem: signedOut, retry: false }
  } catch {
    // No answer at all: the host is down, which is what the Problem says.
  }
  return { ok: false, problem: notThere, retry: true }
}

export function openSocket(): Promise<Opened> {
  return new Promise((resolve) => {
    const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${window.location.host}/wire`)
    const transport = webSocketTransport(socket)
    let opened = false
    socket.addEventListener('open', () => {
      opened = true
      resolve({ ok: true, transport })
    })
    socket.addEventListener('close', () => {
      if (!opened) void whyNot().then(resolve)
    })
  })
}
