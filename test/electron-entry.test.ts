/** The built Electron entry and preload, run in plain Node against a double of the electron module; and that no other entry can reach electron. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const out = join(root, 'out')
const data = mkdtempSync(join(tmpdir(), 'plimsoll-electron-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

async function drive(env: Record<string, string> = {}) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', join(root, 'test/electron-double/register.mjs'), join(root, 'test/electron-double/drive.mjs'), out],
    { env: { ...process.env, PLIMSOLL_DATA: data, ...env }, timeout: 30_000 },
  )
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

let seen: Awaited<ReturnType<typeof drive>>
beforeAll(async () => {
  seen = await drive()
})

test('the page gets its port through the preload and the contract answers over it', () => {
  expect(seen.info).toMatchObject({ t: 'answer', value: { host: 'electron', dataDir: data } })
  expect(seen.settings).toMatchObject({ t: 'event', value: { theme: 'system' } })
})

test('the preload needs nothing but electron, and main listens on one channel', () => {
  expect(seen.preloadRequires).toEqual(['electron'])
  expect(seen.channels).toEqual(['plimsoll:connect'])
})

test('the window is sandboxed and isolated and shows our own protocol', () => {
  expect(seen.url).toBe('plimsoll://app/')
  expect(seen.webPreferences).toMatchObject({ contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true })
  expect(seen.schemes).toMatchObject([{ scheme: 'plimsoll', privileges: { standard: true, secure: true } }])
})

test('no other page, frame or scheme gets a port', () => {
  expect(seen.foreign).toEqual({ otherSite: 'closed', frameInside: 'closed', otherScheme: 'closed', gone: 'closed' })
})

test('the protocol serves the page under a strict policy and nothing outside its folder', () => {
  expect(seen.page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' })
  expect(seen.page.policy).toContain("default-src 'none'; script-src 'self'")
  expect(seen.traversal).toEqual([404, 404, 404, 404])
  expect(seen.otherHost).toBe(404)
})

test('the page can’t leave, open windows, attach web views or get permissions; only web links open outside', () => {
  expect(seen.navigation).toEqual({ away: true, reload: false })
  expect(seen.webview).toBe(true)
  expect(seen.windowOpen).toEqual(['deny', 'deny', 'deny'])
  expect(seen.openedOutside).toEqual(['https://example.org/'])
  expect(seen.permissions).toEqual({ media: false, geolocation: false, 'clipboard-read': false, 'clipboard-sanitized-write': true })
})

test('a terminal opens in a utility process, and quitting ends all children before the app', () => {
  expect(seen.terminal).toBe('answer')
  expect(seen.children).toMatchObject([{ serviceName: 'plimsoll pty-host' }])
  expect(seen.children.filter((child: { pid: number }) => isAlive(child.pid))).toEqual([])
  expect(seen.exitCode).toBe(0)
})

test('a second Plimsoll opens no window and ends', async () => {
  expect(await drive({ DOUBLE_SECOND_INSTANCE: '1' })).toEqual({ windows: 0, exitCode: 0 })
})

/** All files that a built entry can load, statically or later. */
function reachableFrom(entry: string): Map<string, string> {
  const files = new Map<string, string>()
  const visit = (path: string) => {
    if (files.has(path) || !existsSync(path)) return
    const code = readFileSync(path, 'utf8')
    files.set(path, code)
    for (const [, specifier = ''] of code.matchAll(/(?:from|import|import\(|require\()\s*["'](\.[^"']+)["']/g))
      visit(resolve(dirname(path), specifier))
  }
  visit(entry)
  return files
}
const importsElectron = /(?:from|import|import\(|require\()\s*["']electron(?:\/[^"']*)?["']/

test('nothing reachable from the command, the web host or a child process imports electron', () => {
  for (const entry of ['plimsoll', 'load-driver', 'model-host', 'pty-host']) {
    const files = reachableFrom(join(out, 'main', `${entry}.js`))
    expect(files.size, entry).toBeGreaterThan(0)
    for (const [path, code] of files) expect(importsElectron.test(code), path).toBe(false)
  }
  expect([...reachableFrom(join(out, 'main', 'plimsoll.js')).values()].some((code) => code.includes('WebSocketServer'))).toBe(true)
  expect(importsElectron.test(readFileSync(join(out, 'main', 'index.js'), 'utf8'))).toBe(true)
})
