/** What the web host says that is not the page itself: refusals, as a small page a person can read, or as one line for programs. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Problem, problem, problemText } from '../../../core/result/problem.ts'
import { SAFETY_HEADERS } from '../page-files.ts'

export const linkUsed = problem(
  'token-wrong',
  'This link does not work: its token is wrong, or the link was used before.',
  'Each link works once and in one browser.',
  'A fresh link now stands in the terminal where `plimsoll serve` runs; open that one.',
)
export const notSignedIn = problem(
  'token-missing',
  'This browser has no key to this Plimsoll.',
  'The first visit must be by the link with a token, since this page can open shells.',
  'A fresh link now stands in the terminal where `plimsoll serve` runs; open that one.',
)

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c)

/** "Try again" helps who followed a link from another site: a strict cookie is not sent on that first step. */
const refusalPage = (p: Problem) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Plimsoll</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;color-scheme:light dark}</style></head>
<body><h1>Plimsoll</h1><p><strong>${escapeHtml(p.happened)}</strong></p><p>${escapeHtml(p.expected)}</p><p>${escapeHtml(p.todo)}</p><p><a href="/">Try again</a></p></body></html>
`

export function refuse(request: IncomingMessage, response: ServerResponse, status: number, p: Problem): void {
  const wantsPage = (request.headers.accept ?? '').includes('text/html')
  response.writeHead(status, {
    ...SAFETY_HEADERS,
    'content-type': wantsPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(wantsPage ? refusalPage(p) : JSON.stringify({ problem: p }))
}

export function refuseUpgrade(socket: Duplex, status: number, p: Problem): void {
  const body = problemText(p)
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
