/**
 * A Plimsoll of one's own for each spec file: the built web host as a process, with a data folder that goes at the end.
 * `page` is signed in already; `host` can be killed and started again over the same data.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'

const root = join(import.meta.dirname, '../..')
const START_LIMIT_MS = 20_000

export interface Host {
  readonly dataDir: string
  /** Address without the token. */
  readonly origin: string
  readonly pid: number
  /** Name and value of the cookie that signs a browser in. */
  signIn(): Promise<{ name: string; value: string }>
  kill(signal: NodeJS.Signals): Promise<void>
  /** Ends it when it runs, then starts it on the same data and the same port. */
  restart(): Promise<void>
}

type Running = { child: ChildProcess; link: string; text: () => string }

function start(dataDir: string, port: number, env: NodeJS.ProcessEnv): Promise<Running> {
  const args = [join(root, 'out/main/plimsoll.js'), 'serve', '--port', String(port), '--data', dataDir]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => reject(new Error(`The web host gave no link within ${START_LIMIT_MS} ms:\n${text}`)), START_LIMIT_MS)
    const hear = (chunk: Buffer) => {
      text += chunk
      const link = /http:\/\/\S+token=[\w-]+/.exec(text)?.[0]
      if (link === undefined) return
      clearTimeout(timer)
      resolve({ child, link, text: () => text })
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', (code) => reject(new Error(`The web host ended with ${code}:\n${text}`)))
  })
}

function end({ child }: Running, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}

export async function startHost(env: NodeJS.ProcessEnv = {}): Promise<Host & { close(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-e2e-'))
  let running = await start(dataDir, 0, env)
  const origin = new URL(running.link).origin
  let cookie: Promise<{ name: string; value: string }> | undefined

  const redeem = async () => {
    const answer = await fetch(running.link, { redirect: 'manual' })
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? []
    if (name === undefined || value === undefined) throw new Error(`The link gave no cookie: ${answer.status}`)
    return { name, value }
  }
  return {
    dataDir,
    origin,
    get pid() {
      return running.child.pid ?? 0
    },
    signIn() {
      cookie ??= redeem()
      return cookie
    },
    kill: (signal) => end(running, signal),
    async restart() {
      await end(running, 'SIGTERM')
      running = await start(dataDir, Number(new URL(origin).port), env)
      cookie = undefined
    },
    async close() {
      await end(running, 'SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export const test = base.extend<{ signedIn: undefined }, { host: Host }>({
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const host = await startHost()
      await use(host)
      await host.close()
    },
    { scope: 'worker' },
  ],
  baseURL: ({ host }, use) => use(host.origin),
  signedIn: [
    async ({ host, context }, use) => {
      await context.addCookies([{ ...(await host.signIn()), url: host.origin, httpOnly: true, sameSite: 'Strict' }])
      await use(undefined)
    },
    { auto: true },
  ],
})
export { expect }
