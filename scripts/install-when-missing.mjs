/** Installs the dependencies of a fresh clone, once: every command of the README goes through here. Uses nothing but Node. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const OLDEST_NODE = [20, 19]

function nodeIsTooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
}

/** Stops the process with a sentence when it can't be done. */
export function installWhenMissing() {
  if (nodeIsTooOld()) {
    console.error(
      `This is Node ${process.versions.node}. Plimsoll needs Node ${OLDEST_NODE.join('.')} or newer. Install it from nodejs.org and run the command again.`,
    )
    process.exit(1)
  }
  const modules = join(root, 'node_modules')
  // A link: the folder belongs to another checkout, and npm would empty it there.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return
  const stamp = join(modules, '.plimsoll-installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.error('Installing the dependencies, about half a minute …')
  const run = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (run.status !== 0) {
    console.error(
      'The dependencies could not be installed (npm ci failed, see above). Plimsoll needs them once; check the network and run the command again.',
    )
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}
