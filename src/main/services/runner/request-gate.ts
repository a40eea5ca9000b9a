/** Who may ask the runner: the right token, this machine's own address, and no web page but one of ours (DESIGN.md section 10). */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../../../core/result/problem.ts'

/** Undefined = come in. */
export type Gate = (request: IncomingMessage, path: string) => { status: number; problem: Problem } | undefined

export function createGate(token: string, port: number): Gate {
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
  const origins = new Set([...hosts].map((host) => `http://${host}`))
  const expected = Buffer.from(`Bearer ${token}`)
  return (request, path) => {
    const { host, origin, authorization } = request.headers
    if (host === undefined || !hosts.has(host)) return { status: 403, problem: foreignHost(host ?? '', port) }
    if (origin !== undefined && !origins.has(origin)) return { status: 403, problem: foreignOrigin(origin) }
    if (path === '/health') return undefined
    if (authorization === undefined || !same(Buffer.from(authorization), expected))
      return { status: 401, problem: wrongToken(authorization !== undefined) }
    return undefined
  }
}

/** Takes as long for a near miss as for a wild one. */
function same(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function foreignHost(host: string, port: number): Problem {
  return problem(
    'host-foreign',
    `The request was sent to ${JSON.stringify(host)}, which is not this machine.`,
    `The host 127.0.0.1:${port} was expected.`,
    'Use the address that Plimsoll shows.',
  )
}

function foreignOrigin(origin: string): Problem {
  return problem(
    'origin-foreign',
    `A web page of ${origin} has asked.`,
    'Web pages of other origins are not answered.',
    'Ask from a script or from Plimsoll itself.',
  )
}

function wrongToken(given: boolean): Problem {
  return problem(
    'token-wrong',
    given ? 'The token of this request is wrong.' : 'This request carries no token.',
    'The header "Authorization: Bearer TOKEN" with the token of this runner was expected.',
    'Take the token of the Plimsoll that runs now: each start makes a new one.',
  )
}
