/**
 * A Chromium for the browser journeys: the one named by PLIMSOLL_CHROMIUM, Playwright's own, one on the PATH, Debian's package (as root), or
 * Playwright's download, in this order.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const INSTALL_LIMIT_MS = 300_000

function onPath() {
  for (const name of NAMES) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {}
    }
  }
  return null
}

async function playwrightsOwn() {
  const { chromium } = await import('@playwright/test')
  const path = chromium.executablePath()
  return path !== '' && existsSync(path) ? path : null
}

function installDebians() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.error('Installing Chromium from Debian’s packages, about half a minute …')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = { env, stdio: ['ignore', 'ignore', 2], timeout: INSTALL_LIMIT_MS }
  spawnSync('apt-get', ['update', '-qq'], options)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], options)
}

function installPlaywrights() {
  console.error('Trying Playwright’s own Chromium …')
  spawnSync('npx', ['playwright', 'install', 'chromium'], {
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: 60_000,
    shell: process.platform === 'win32',
  })
}

/** @returns {Promise<{path: string} | {reason: string}>} */
export async function findOrInstallChromium() {
  const given = process.env.PLIMSOLL_CHROMIUM
  if (given !== undefined) return existsSync(given) ? { path: given } : { reason: `PLIMSOLL_CHROMIUM names ${given}, which does not exist` }
  let path = (await playwrightsOwn()) ?? onPath()
  if (path === null) {
    installDebians()
    path = onPath()
  }
  if (path === null) {
    installPlaywrights()
    path = await playwrightsOwn()
  }
  return path === null ? { reason: 'no Chromium was found, and none could be installed (set PLIMSOLL_CHROMIUM to one)' } : { path }
}
