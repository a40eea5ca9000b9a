/**
 * A private `ollama serve` with a chosen number of slots: own port, own home, the person's models through links. Its owner stops it; it ends with its
 * whole process tree then, when Plimsoll ends, and, where the system has a POSIX shell, even when Plimsoll is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Clock } from '../../platform/clock.ts'
import { readProcess } from '../../platform/process-table.ts'
import { endTree } from '../../platform/process-tree.ts'
import { linkModels } from './model-folder.ts'
import type { OwnOllama } from './own-ollama.ts'

export interface PrivateOllama {
  readonly url: string
  /** Of the process that all others come of. */
  readonly pid: number
  /** Resolves when no process of it is left and its folder is gone. */
  stop(): Promise<void>
}

const START_LIMIT_MS = 30_000
const POLL_MS = 100
const STOP_GRACE_MS = 2_000
/** The end of what it said, for the sentence. */
const KEPT_CHARS = 2_000

/**
 * Keeps the server until its own input ends, which happens when Plimsoll is gone however it went, then ends the whole process group. When the server
 * ends by itself, the group ends at once.
 */
const KEEPER = '( "$@"; kill -KILL 0 ) & trap "" TERM; while read -r _; do :; done; kill -TERM 0; sleep 1; kill -KILL 0'

export async function startPrivateOllama(
  deps: { readonly clock: Clock /** Folders of its own are made here. */; readonly dir: string },
  own: OwnOllama,
  slots: number,
): Promise<Result<PrivateOllama, Problem>> {
  await mkdir(deps.dir, { recursive: true })
  await removeLeftFolders(deps.dir)
  const home = await mkdtemp(join(deps.dir, `ollama-${process.pid}-`))
  const clean = () => rm(home, { recursive: true, force: true })
  const linked = await linkModels(own.modelsDir, join(home, 'models'))
  if (!linked.ok) {
    await clean()
    return linked
  }
  const host = `127.0.0.1:${await freePort()}`
  const env = {
    ...process.env,
    ...own.settings,
    HOME: home,
    USERPROFILE: home,
    OLLAMA_HOST: host,
    OLLAMA_MODELS: join(home, 'models'),
    OLLAMA_NUM_PARALLEL: String(slots),
    OLLAMA_MAX_LOADED_MODELS: '1',
    OLLAMA_NOPRUNE: '1',
  }
  const running = launch(own.program, env)
  const stop = async () => {
    await running.end(deps.clock)
    await clean()
  }
  const url = `http://${host}`
  const up = await answers(url, running, deps.clock)
  if (running.pid !== undefined && up === 'up') return ok({ url, pid: running.pid, stop })
  await stop()
  return err(
    problem(
      'private-ollama-failed',
      up === 'ended'
        ? `${own.program} serve ended before it answered${running.lastWords()}`
        : `${own.program} serve did not answer within ${START_LIMIT_MS / 1_000} s.`,
      'A private server on a port of its own was expected.',
      'Try `ollama serve` by hand with another OLLAMA_HOST, and see what it says.',
    ),
  )
}

/** Of a Plimsoll that was killed: its server has ended by itself, its folder stayed. */
async function removeLeftFolders(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const pid = Number(/^ollama-(\d+)-/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isInteger(pid) && readProcess(pid) === undefined) await rm(join(dir, name), { recursive: true, force: true })
  }
}

interface Running {
  readonly pid: number | undefined
  hasEnded(): boolean
  lastWords(): string
  end(clock: Clock): Promise<void>
}

function launch(program: string, env: NodeJS.ProcessEnv): Running {
  const isPosix = process.platform !== 'win32'
  // A session of its own, so that whatever it starts can be found and ended with it.
  const child: ChildProcess = isPosix
    ? spawn('/bin/sh', ['-c', KEEPER, 'sh', program, 'serve'], { env, stdio: ['pipe', 'ignore', 'pipe'], detached: true })
    : spawn(program, ['serve'], { env, stdio: ['ignore', 'ignore', 'pipe'], windowsHide: true })
  const { pid } = child
  const root = pid === undefined ? undefined : readProcess(pid)
  let ended = pid === undefined
  let said = ''
  child.on('error', () => {
    ended = true
  })
  child.once('exit', () => {
    ended = true
  })
  child.stdin?.on('error', () => {})
  child.stderr?.on('data', (text: Buffer) => {
    said = (said + text.toString()).slice(-KEPT_CHARS)
  })
  const endWithUs = () => {
    if (pid !== undefined && !ended) killGroup(pid, isPosix)
  }
  process.once('exit', endWithUs)
  return {
    pid,
    hasEnded: () => ended,
    lastWords: () => {
      const last = said.trim().split('\n').at(-1) ?? ''
      return last === '' ? '.' : `: ${last.slice(0, 300)}`
    },
    async end(clock) {
      if (root !== undefined) await endTree(root, { clock, graceMs: STOP_GRACE_MS })
      child.stdin?.destroy()
      child.stderr?.destroy()
      process.off('exit', endWithUs)
    },
  }
}

function killGroup(pid: number, isPosix: boolean): void {
  try {
    process.kill(isPosix ? -pid : pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

async function answers(url: string, running: Running, clock: Clock): Promise<'up' | 'ended' | 'silent'> {
  const untilMs = clock.nowMs() + START_LIMIT_MS
  for (;;) {
    if (running.hasEnded()) return 'ended'
    const there = await fetch(`${url}/api/version`, { signal: AbortSignal.timeout(START_LIMIT_MS) }).then(
      (answer) => answer.ok,
      () => false,
    )
    if (there) return 'up'
    if (clock.nowMs() > untilMs) return 'silent'
    await new Promise<void>((resolve) => clock.after(POLL_MS, resolve))
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('No free port.'))))
    })
  })
}
