/**
 * A private, real Ollama for a test: own port, home and models, chosen settings, the generated model imported under three names.
 * The test owns it and stops it; `stop` makes sure that nothing of its process tree runs on.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findOrBuildOllama } from '../scripts/ollama.mjs'
import { ensureTinyGguf } from '../src/main/model-host/tiny-gguf.ts'

const run = promisify(execFile)

/** All of the generated `plimsoll-mid`. They share one weights file, and so one loaded runner. */
export const OLLAMA_MODELS = {
  plain: 'mid',
  /** Same weights, another file of options: one thread, for wires that can't ask for it. */
  second: 'mid-second',
  /** With a template that knows tools. */
  tools: 'mid-tools',
  /** Other weights: `plimsoll-tiny`. */
  other: 'tiny',
} as const

export interface OllamaSettings {
  /** OLLAMA_NUM_PARALLEL. */
  readonly parallel?: number
  /** OLLAMA_MAX_QUEUE. */
  readonly maxQueue?: number
  /** OLLAMA_MAX_LOADED_MODELS. */
  readonly maxLoadedModels?: number
}

export interface OllamaServer {
  readonly url: string
  /** What is known of the program: `v0.11.4 (says 0.0.0)`. */
  readonly version: string
  readonly pid: number
  /** Ends the server and its runners, as a crash would; resolves when they are gone. */
  kill(): Promise<void>
  /** The same, and removes its folders. */
  stop(): Promise<void>
}

const CONTEXT_TOKENS = 1024
const START_LIMIT_MS = 20_000
const TOOL_TEMPLATE = [
  '{{- range .Messages }}<|im_start|>{{ .Role }}',
  '{{ .Content }}{{ if .ToolCalls }}{{ range .ToolCalls }}{{ .Function }}{{ end }}{{ end }}<|im_end|>',
  '{{ end }}{{ if .Tools }}{{ range .Tools }}{{ .Function }}{{ end }}{{ end }}<|im_start|>assistant',
  '',
].join('\n')

/** Why the tests against a real Ollama are left out, or false: for `describe.skipIf` and the title. Builds nothing by itself unless told to. */
export async function ollamaMissing(options: { mayBuild?: boolean } = {}): Promise<string | false> {
  const found = await findOrBuildOllama({ mayBuild: options.mayBuild ?? process.env.PLIMSOLL_BUILD_OLLAMA !== '0', say: (line) => console.log(line) })
  return 'reason' in found ? found.reason : false
}

export async function startOllama(settings: OllamaSettings = {}): Promise<OllamaServer> {
  const found = await findOrBuildOllama()
  if ('reason' in found) throw new Error(found.reason)
  const dir = await mkdtemp(join(tmpdir(), 'plimsoll-ollama-'))
  await mkdir(join(dir, 'models'))
  const host = `127.0.0.1:${await freePort()}`
  const env = {
    ...process.env,
    HOME: dir,
    USERPROFILE: dir,
    OLLAMA_HOST: host,
    OLLAMA_MODELS: join(dir, 'models'),
    OLLAMA_NUM_PARALLEL: String(settings.parallel ?? 1),
    OLLAMA_MAX_QUEUE: String(settings.maxQueue ?? 512),
    OLLAMA_MAX_LOADED_MODELS: String(settings.maxLoadedModels ?? 1),
  }
  // Its own process group, so that its runners can be found and ended with it.
  const child = spawn(found.path, ['serve'], { env, stdio: 'ignore', detached: true })
  const pid = child.pid
  if (pid === undefined) throw new Error(`${found.path} can't be started`)
  const endWithUs = () => killGroup(pid)
  process.once('exit', endWithUs)
  const kill = async () => {
    await endTree(child, pid)
    process.off('exit', endWithUs)
  }
  const stop = async () => {
    await kill()
    await rm(dir, { recursive: true, force: true })
  }
  try {
    await answers(`http://${host}`, child)
    await importModels(found.path, env, dir)
  } catch (cause) {
    await stop()
    throw cause
  }
  return { url: `http://${host}`, version: found.version, pid, kill, stop }
}

async function importModels(ollama: string, env: NodeJS.ProcessEnv, dir: string): Promise<void> {
  const cache = join(tmpdir(), 'plimsoll-models')
  const [mid, tiny] = await Promise.all([ensureTinyGguf(cache, 'plimsoll-mid'), ensureTinyGguf(cache, 'plimsoll-tiny')])
  const head = (path: string) => `FROM ${path}\nPARAMETER num_ctx ${CONTEXT_TOKENS}\n`
  const files = {
    [OLLAMA_MODELS.plain]: head(mid),
    [OLLAMA_MODELS.second]: `${head(mid)}PARAMETER temperature 0\nPARAMETER num_thread 1\n`,
    [OLLAMA_MODELS.tools]: `${head(mid)}TEMPLATE """${TOOL_TEMPLATE}"""\n`,
    [OLLAMA_MODELS.other]: head(tiny),
  }
  for (const [name, text] of Object.entries(files)) {
    const file = join(dir, `Modelfile.${name}`)
    await writeFile(file, text)
    await run(ollama, ['create', name, '-f', file], { env, timeout: 60_000 })
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const untilMs = performance.now() + START_LIMIT_MS
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`ollama serve ended with ${child.exitCode ?? child.signalCode} before it answered`)
    const there = await fetch(`${url}/api/version`).then(
      (res) => res.ok,
      () => false,
    )
    if (there) return
    if (performance.now() > untilMs) throw new Error(`ollama serve did not answer within ${START_LIMIT_MS / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function endTree(child: ChildProcess, pid: number): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })
  killGroup(pid)
  await gone
  const untilMs = performance.now() + 10_000
  for (let left = await groupMembers(pid); left.length > 0; left = await groupMembers(pid)) {
    if (performance.now() > untilMs) throw new Error(`processes of this ollama run on: ${left.join(', ')}`)
    killGroup(pid)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is gone already.
  }
}

/** Living processes of the group; zombies have ended and only wait to be counted. Known on Linux only; elsewhere the signal must do. */
async function groupMembers(group: number): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  return stats.flatMap((stat) => {
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(pgrp) === group && state !== 'Z' ? [Number.parseInt(stat, 10)] : []
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}
