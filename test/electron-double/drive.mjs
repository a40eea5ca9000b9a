/**
 * Runs the built Electron entry and preload against the double, as a page would use them, and prints what it saw as one JSON object.
 * Arguments: folder of the build (out).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app, BrowserWindow, ipcMain, ipcRendererOf, seen } from './electron.mjs'

const out = process.argv[2]
const result = {}
const exited = new Promise((resolve) => app.once('double-exit', resolve))
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The page's window, as the preload sees it. */
function pageWindow() {
  const listeners = new Set()
  const window = {
    addEventListener: (_type, listener) => listeners.add(listener),
    postMessage(data, _target, ports = []) {
      for (const listener of [...listeners]) queueMicrotask(() => listener({ source: window, data, ports }))
    },
  }
  return window
}

function loadPreload(window, ipcRenderer) {
  const code = readFileSync(join(out, 'preload', 'index.cjs'), 'utf8')
  const required = []
  const require = (name) => {
    required.push(name)
    return { ipcRenderer }
  }
  new Function('require', 'window', 'module', 'exports', code)(require, window, {}, {})
  return required
}

/** @returns the answer to one frame, or "closed" */
function ask(port, frame) {
  return new Promise((resolve) => {
    port.on('message', (data) => {
      if (data === '') return resolve('closed')
      const answer = JSON.parse(data)
      if (answer.id === frame.id) resolve(answer)
    })
    port.on('close', () => resolve('closed'))
    port.postMessage(JSON.stringify(frame))
  })
}

async function askForPort(window) {
  const got = new Promise((resolve) => {
    window.addEventListener('message', (event) => {
      if (event.data === 'plimsoll:port') resolve(event.ports[0])
    })
  })
  window.postMessage('plimsoll:port-please', '*')
  return got
}

async function fromFrame(frame) {
  const { port1, port2 } = new MessageChannel()
  ipcRendererOf(frame).postMessage('plimsoll:connect', null, [port2])
  const answer = await Promise.race([ask(port1, { t: 'call', id: 1, path: 'app.info', input: {} }), exited])
  port1.close()
  return answer
}

await import(pathToFileURL(join(out, 'main', 'index.js')).href)
if (process.env.DOUBLE_SECOND_INSTANCE !== undefined) {
  await exited
  console.log(JSON.stringify({ windows: seen.windows.length, exitCode: seen.exitCode }))
  process.exit(0)
}
while (seen.windows.length === 0) await turn()

const [window] = seen.windows
result.url = window.url
result.webPreferences = window.options.webPreferences
result.schemes = seen.schemes
result.userData = seen.paths.userData
const channels = ipcMain.eventNames()
result.channels = channels

const page = pageWindow()
result.preloadRequires = loadPreload(page, ipcRendererOf({ url: 'plimsoll://app/', parent: null }))
const port = await askForPort(page)
result.info = await ask(port, { t: 'call', id: 7, path: 'app.info', input: {} })
result.settings = await ask(port, { t: 'open', id: 8, path: 'app.settings', input: {} })
const terminal = await ask(port, { t: 'call', id: 9, path: 'terminals.open', input: { cols: 80, rows: 24, command: '/bin/sh' } })
result.terminal = terminal.t
result.children = seen.children.map(({ serviceName, pid }) => ({ serviceName, pid }))

result.foreign = {
  otherSite: await fromFrame({ url: 'https://evil.example/', parent: null }),
  frameInside: await fromFrame({ url: 'plimsoll://app/', parent: {} }),
  otherScheme: await fromFrame({ url: 'plimsoll://evil/', parent: null }),
  gone: await fromFrame(null),
}

const fetchPage = async (url, method = 'GET') => {
  const response = await seen.handlers.get('plimsoll')({ url, method })
  return { status: response.status, type: response.headers.get('content-type'), policy: response.headers.get('content-security-policy') }
}
result.page = await fetchPage('plimsoll://app/')
result.traversal = []
for (const path of ['/../main/index.js', '/%2e%2e/main/index.js', '/..%2fmain%2findex.js', '/..%5cmain']) {
  result.traversal.push((await fetchPage(`plimsoll://app${path}`)).status)
}
result.otherHost = (await fetchPage('plimsoll://evil/')).status

const prevented = (event, url) => {
  let stopped = false
  window.webContents.emit(event, { url, preventDefault: () => (stopped = true) })
  return stopped
}
result.navigation = { away: prevented('will-navigate', 'https://evil.example/'), reload: prevented('will-navigate', 'plimsoll://app/') }
result.webview = prevented('will-attach-webview', '')
result.windowOpen = ['https://example.org/', 'file:///etc/passwd', 'javascript:alert(1)'].map(
  (url) => window.webContents.windowOpenHandler({ url }).action,
)
result.openedOutside = seen.opened
result.permissions = {}
for (const name of ['media', 'geolocation', 'clipboard-read', 'clipboard-sanitized-write']) {
  seen.permissions.request({}, name, (granted) => {
    result.permissions[name] = granted && seen.permissions.check({}, name)
  })
}

app.quit()
app.quit()
await exited
result.exitCode = seen.exitCode
result.windowClass = window instanceof BrowserWindow
console.log(JSON.stringify(result))
process.exit(0)
