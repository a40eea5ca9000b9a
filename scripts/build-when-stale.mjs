/** Builds `out/` when a source is newer than it. Tests, sweep and start all go through here, so nobody runs an old build. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'out', '.built')

function newestMs(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))))
}

function builtMs() {
  try {
    return statSync(stamp).mtimeMs
  } catch {
    return 0
  }
}

/** @returns {boolean} whether it had to build. Throws an Error with the build's output when that fails. */
export function buildWhenStale() {
  const began = new Date()
  const sources = ['src', 'resources', 'electron.vite.config.ts', 'package.json'].map((name) => join(root, name)).filter(existsSync)
  if (Math.max(...sources.map(newestMs)) < builtMs()) return false
  const cli = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const run = spawnSync(process.execPath, [cli, 'build', '--logLevel', 'warn'], { cwd: root, encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`The build failed.\n${run.stdout}${run.stderr}`)
  writeFileSync(stamp, '')
  utimesSync(stamp, began, began)
  return true
}
