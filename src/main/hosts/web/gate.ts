/**
 * Who may talk to the web host. A link works once and is turned into a cookie; Host must be a name of ours (DNS rebinding) and Origin
 * must be the page's own address (other sites). Holds digests only, never the tokens themselves.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'

/** Links that were handed out and not yet used, and browsers signed in; the oldest goes when there are more. */
const MAX_LINKS = 16
const MAX_BROWSERS = 64

export interface GateDeps {
  /** Address that the server listens on, as given: "127.0.0.1", "0.0.0.0", "gpu-box.lan". */
  host: string
  port: number
  /** Names of this machine beyond the loopback ones; they count when the server listens on more than loopback. */
  machineNames: readonly string[]
  /** 32 random bytes as text. */
  randomToken(): string
}

export interface Gate {
  /** A new link's token. */
  issue(): string
  /** Spends a token. @returns the Set-Cookie value, or undefined when the token is wrong or was used before */
  redeem(token: string): string | undefined
  isSignedIn(cookieHeader: string | undefined): boolean
  checkHost(hostHeader: string | undefined): Result<undefined, Problem>
  /** For the WebSocket, which carries everything: the page that opens it must have come from here. */
  checkOrigin(originHeader: string | undefined, hostHeader: string | undefined): Result<undefined, Problem>
}

const digest = (token: string) => createHash('sha256').update(token).digest('base64url')

const WILDCARDS = new Set(['0.0.0.0', '::', ''])
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1'])

export const isLoopback = (host: string) => LOOPBACK.has(host)

/** "[::1]:7433" → "::1"; undefined when it is no host and port. */
function hostName(hostHeader: string): string | undefined {
  return /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(hostHeader)?.slice(1).find(Boolean)?.toLowerCase()
}

function remember(set: Set<string>, value: string, limit: number): void {
  set.add(value)
  for (const oldest of set) {
    if (set.size <= limit) return
    set.delete(oldest)
  }
}

export function createGate(deps: GateDeps): Gate {
  const links = new Set<string>()
  const browsers = new Set<string>()
  // Cookies know no ports: the name keeps two hosts on one machine apart.
  const cookieName = `plimsoll_${deps.port}`

  const isOurs = (name: string) => {
    if (LOOPBACK.has(name) || name === deps.host.toLowerCase()) return true
    // A rebound name is always a name: an address typed into the browser can't have been rebound.
    return WILDCARDS.has(deps.host) && (isIP(name) !== 0 || deps.machineNames.includes(name))
  }

  return {
    issue() {
      const token = deps.randomToken()
      remember(links, digest(token), MAX_LINKS)
      return token
    },
    redeem(token) {
      if (!links.delete(digest(token))) return undefined
      const secret = deps.randomToken()
      remember(browsers, digest(secret), MAX_BROWSERS)
      return `${cookieName}=${secret}; HttpOnly; SameSite=Strict; Path=/`
    },
    isSignedIn(cookieHeader) {
      const values = (cookieHeader ?? '').split(/; */).filter((pair) => pair.startsWith(`${cookieName}=`))
      return values.some((pair) => browsers.has(digest(pair.slice(cookieName.length + 1))))
    },
    checkHost(hostHeader) {
      const name = hostName(hostHeader ?? '')
      if (name !== undefined && isOurs(name)) return ok(undefined)
      return err(
        problem(
          'foreign-host',
          `This request asks for the host ${JSON.stringify((hostHeader ?? '').slice(0, 100))}, which is no name of this Plimsoll.`,
          `It answers to ${deps.host} and localhost only, so that no website can reach it under a name of its own.`,
          'Open the link as it stands in the terminal; `plimsoll serve --host NAME` adds a name.',
        ),
      )
    },
    checkOrigin(originHeader, hostHeader) {
      if (originHeader !== undefined && (originHeader === `http://${hostHeader}` || originHeader === `https://${hostHeader}`)) return ok(undefined)
      return err(
        problem(
          'foreign-origin',
          originHeader === undefined
            ? 'This request does not say which page it comes from.'
            : `This request comes from a page of ${originHeader.slice(0, 100)}.`,
          `Only Plimsoll's own page at http://${hostHeader ?? deps.host} may connect.`,
          'Open the link that stands in the terminal where `plimsoll serve` runs.',
        ),
      )
    },
  }
}
