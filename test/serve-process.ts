/** `plimsoll serve` as a process of its own with a signed-in client, for tests that end it hard. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { WebSocket } from 'ws'
import { contract, type PlimsollContract } from '../src/contract/endpoints/index.ts'
import { connect } from '../src/contract/wire/connect.ts'
import type { Client } from '../src/contract/wire/endpoint-types.ts'
import { webSocketTransport } from '../src/contract/wire/transports/web-socket.ts'

export interface ServeProcess {
  readonly child: ChildProcess
  readonly origin: string
  readonly client: Client<PlimsollContract>
  /** From the start of the process to its first printed link. */
  readonly linkAfterMs: number
  /** Sends the signal and waits for the end. @returns the exit code, null after a signal */
  end(signal: NodeJS.Signals): Promise<number | null>
}

const LINK = /http:\/\/\S+token=[\w-]+/

export async function startServe(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<ServeProcess> {
  const beganMs = performance.now()
  const script = resolve(import.meta.dirname, '../out/main/plimsoll.js')
  const child = spawn(process.execPath, [script, 'serve', '--port', '0', '--data', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const link = await new Promise<string>((resolve, reject) => {
    let text = ''
    const hear = (chunk: Buffer) => {
      text += chunk
      const found = LINK.exec(text)
      if (found !== null) resolve(found[0])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${text}`)))
  })
  const linkAfterMs = performance.now() - beganMs
  const { origin } = new URL(link)
  const answer = await fetch(link, { redirect: 'manual' })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/wire`, { headers: { cookie, origin } })
  socket.on('error', () => {})
  const client = connect(contract, webSocketTransport(socket))
  const end = (signal: NodeJS.Signals) =>
    new Promise<number | null>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode)
      child.once('exit', resolve)
      child.kill(signal)
    })
  return { child, origin, client, linkAfterMs, end }
}

type ProcessLine = { pid: number; parent: number; state: string }

function processLine(pid: string): ProcessLine | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return { pid: Number(pid), state: fields[0] ?? '', parent: Number(fields[1]) }
  } catch {
    return undefined
  }
}

/** Linux only. */
export function childrenOf(parent: number): number[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processLine(name) ?? []) : []))
  return all.filter((line) => line.parent === parent).map(({ pid }) => pid)
}

/** A process that has ended and waits to be reaped does not count as running. */
export const runsStill = (pid: number) => {
  const line = processLine(String(pid))
  return line !== undefined && line.state !== 'Z'
}
