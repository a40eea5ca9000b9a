/** Electron's binary: where it is, and fetching it when it is missing. The npm package comes without it. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'node_modules', 'electron')
const failedStamp = join(root, 'out', '.electron-not-fetched')

const FETCH_LIMIT_MS = 120_000
const NETWORK_LIMIT_MS = 3_000
/** After a failed fetch the next starts don't wait for another one. */
const RETRY_AFTER_MS = 24 * 3600 * 1000

/** @returns {string | null} */
export function electronBinary() {
  try {
    const path = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8'))
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

function failedLately() {
  try {
    return Date.now() - statSync(failedStamp).mtimeMs < RETRY_AFTER_MS
  } catch {
    return false
  }
}

/** Whether the place that the binary comes from can be reached. Behind a proxy nobody knows before trying. */
function networkSeemsThere() {
  if (process.env.HTTPS_PROXY || process.env.https_proxy) return Promise.resolve(true)
  return new Promise((resolve) => {
    const socket = connect({ host: 'github.com', port: 443 })
    const end = (there) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(there)
    }
    const timer = setTimeout(() => end(false), NETWORK_LIMIT_MS)
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}

function runInstaller() {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', timeout: FETCH_LIMIT_MS, killSignal: 'SIGKILL' })
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
}

/**
 * Says in one line what it does.
 * @returns {Promise<string | null>} the path of the binary, or null when it can't be had now
 */
export async function fetchElectron() {
  if (failedLately()) {
    console.error('Electron’s binary is missing and could not be fetched lately; starting in the browser (npm start -- --electron tries again).')
    return null
  }
  if (!(await networkSeemsThere())) {
    console.error('Electron’s binary is missing and there is no network to fetch it; starting in the browser.')
    return null
  }
  console.error('Electron’s binary is missing; fetching it once (about 110 MB, at most 2 minutes; npm start -- --web goes without) …')
  await runInstaller()
  const path = electronBinary()
  if (path === null) {
    mkdirSync(dirname(failedStamp), { recursive: true })
    writeFileSync(failedStamp, '')
    console.error('It could not be fetched; starting in the browser.')
  }
  return path
}
