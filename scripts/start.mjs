/**
 * `npm start`: the desktop window where Electron and a display are there, else the web host, opened in the browser or printed.
 * `--web` or `--electron` chooses; all else goes to the app (`--port`, `--host`, `--data`, `--verbose`).
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { followChild } from './follow-child.mjs'
import { installWhenMissing, root } from './install-when-missing.mjs'

installWhenMissing()
const { buildWhenStale } = await import('./build-when-stale.mjs')
const { electronBinary, fetchElectron } = await import('./electron-binary.mjs')
buildWhenStale()

const given = process.argv.slice(2)
const wants = (name) => given.includes(name)
const args = given.filter((arg) => arg !== '--web' && arg !== '--electron')

const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)

/** Why no window can open here, or null. */
function whyNoWindow() {
  if (wants('--web')) return ''
  if (wants('--electron')) return null
  if (!hasDisplay) return 'There is no display here; starting the web host.'
  // Chromium refuses to run as root with its sandbox, and without it we do not run it.
  if (process.platform === 'linux' && process.getuid?.() === 0) return 'Electron does not run as root with its sandbox; starting the web host.'
  return null
}

function openInBrowser(url) {
  if (!hasDisplay || process.env.CI) return
  const [command, ...rest] =
    process.platform === 'darwin' ? ['open', url] : process.platform === 'win32' ? ['cmd', '/c', 'start', '', url] : ['xdg-open', url]
  const opener = spawn(command, rest, { stdio: 'ignore', detached: true })
  opener.on('error', () => {})
  opener.unref()
}

function startWebHost() {
  const child = spawn(process.execPath, [join(root, 'out/main/plimsoll.js'), 'serve', ...args], { stdio: ['inherit', 'pipe', 'inherit'] })
  let opened = false
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk)
    const url = /http:\/\/\S+token=[\w-]+/.exec(String(chunk))?.[0]
    if (url === undefined || opened) return
    opened = true
    openInBrowser(url)
  })
  followChild(child)
}

const why = whyNoWindow()
if (why) console.error(why)
const electron = why === null ? (electronBinary() ?? (await fetchElectron())) : null
if (electron === null) startWebHost()
else follow(spawn(electron, [root, ...args], { stdio: 'inherit' }))
