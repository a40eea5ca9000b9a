/**
 * Finds a real `ollama` for the tests, or builds the pinned one with Go into a cache outside the checkout.
 * As a command: says which one and how long it took; the last line is its path; exit code 1 and a reason where there is none.
 */
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The newest release that `go install` builds with nothing else on the machine. */
export const PINNED_VERSION = 'v0.11.4'
/** Measured: a minute and a half on two cores. */
const BUILD_LIMIT_MS = 15 * 60_000
const WINDOWS = process.platform === 'win32'
const BINARY = WINDOWS ? 'ollama.exe' : 'ollama'

/** @returns {Promise<boolean>} */
const isExecutable = (path) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

async function onPath(name, env) {
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    if (dir !== '' && (await isExecutable(join(dir, name)))) return join(dir, name)
  }
  return undefined
}

/** Go's installer puts it there and leaves the PATH to the person, so a fresh login often lacks it. */
async function findGo(env) {
  const usual = '/usr/local/go/bin/go'
  return (await onPath(WINDOWS ? 'go.exe' : 'go', env)) ?? (!WINDOWS && (await isExecutable(usual)) ? usual : undefined)
}

function cacheDir(env) {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'plimsoll', `ollama-${PINNED_VERSION}`)
}

/** The client's own word; a binary built by `go install` calls itself 0.0.0. */
async function versionOf(path) {
  try {
    const { stdout, stderr } = await run(path, ['--version'], { timeout: 10_000, env: { ...process.env, OLLAMA_HOST: '127.0.0.1:1' } })
    return /version is (\S+)/.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown'
  } catch {
    return undefined
  }
}

async function build(go, dir, signal) {
  await mkdir(dir, { recursive: true })
  // Built aside and moved in whole, so that an interrupted or a second build never leaves half a file.
  const aside = await mkdtemp(join(dir, 'build-'))
  try {
    await run(go, ['install', `github.com/ollama/ollama@${PINNED_VERSION}`], {
      env: { ...process.env, GOBIN: aside, GOFLAGS: '', CGO_ENABLED: '1' },
      timeout: BUILD_LIMIT_MS,
      signal,
      maxBuffer: 64 * 1024 * 1024,
    })
    await rename(join(aside, BINARY), join(dir, BINARY)).catch(() => copyFile(join(aside, BINARY), join(dir, BINARY)))
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

function buildFault(cause) {
  if (cause?.name === 'AbortError') return 'it was interrupted.'
  if (cause?.killed) return `it was not done after ${BUILD_LIMIT_MS / 60_000} minutes. Try again: what is built so far is kept.`
  return String(cause?.stderr || cause?.message || cause)
    .trim()
    .split('\n')
    .at(-1)
}

/**
 * @param {{ env?: NodeJS.ProcessEnv, mayBuild?: boolean, say?: (line: string) => void, signal?: AbortSignal }} [options]
 * @returns {Promise<{ path: string, version: string, how: string, tookMs: number } | { reason: string }>}
 */
export async function findOrBuildOllama({ env = process.env, mayBuild = true, say = () => {}, signal } = {}) {
  const startMs = performance.now()
  const found = async (path, how) => {
    const version = await versionOf(path)
    if (version === undefined) return { reason: `${path} is there, but does not run.` }
    return { path, version: how === 'path' ? version : `${PINNED_VERSION} (says ${version})`, how, tookMs: Math.round(performance.now() - startMs) }
  }
  if (env.PLIMSOLL_OLLAMA) {
    const path = resolve(env.PLIMSOLL_OLLAMA)
    return (await isExecutable(path)) ? found(path, 'path') : { reason: `PLIMSOLL_OLLAMA names ${path}, which is no program.` }
  }
  const installed = await onPath(BINARY, env)
  if (installed !== undefined) return found(installed, 'path')
  const cached = join(cacheDir(env), BINARY)
  if (await isExecutable(cached)) return found(cached, 'cache')
  const go = await findGo(env)
  if (go === undefined) return { reason: 'No ollama on the PATH, and no Go to build one with.' }
  if (!mayBuild) return { reason: `No ollama on the PATH, and none built yet: \`node scripts/ollama.mjs\` builds ${PINNED_VERSION}.` }
  say(`No ollama on the PATH: building ${PINNED_VERSION} with Go into ${cacheDir(env)} (some minutes, once).`)
  try {
    await build(go, cacheDir(env), signal)
  } catch (cause) {
    return { reason: `Building ollama ${PINNED_VERSION} with Go failed: ${buildFault(cause)}` }
  }
  return found(cached, 'built')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort())
  const result = await findOrBuildOllama({ say: (line) => console.log(line), signal: stop.signal })
  if ('reason' in result) {
    console.error(result.reason)
    process.exitCode = 1
  } else {
    console.log(`ollama ${result.version}, from ${result.how}, after ${(result.tookMs / 1000).toFixed(1)} s`)
    console.log(result.path)
  }
}
