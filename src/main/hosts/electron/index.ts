/** Electron's entry: one window, one port to the page. Thin by rule; everything else is the same as in the web host. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, type BrowserWindow, dialog, ipcMain, safeStorage } from 'electron'
import { contract } from '../../../contract/endpoints/index.ts'
import { serve } from '../../../contract/wire/serve.ts'
import { problemText } from '../../../core/result/problem.ts'
import { createApi } from '../../api/create-api.ts'
import { composeApp } from '../../compose.ts'
import { dataDir } from '../../platform/data-dir.ts'
import { stderrLog } from '../../platform/log.ts'
import { reportBugTo } from '../report-bug.ts'
import { APP_URL, declareScheme, servePage } from './app-protocol.ts'
import { electronForkChild } from './electron-fork.ts'
import { createKeyVault } from './key-vault.ts'
import { mainPortTransport } from './main-port.ts'
import { isOurPage } from './senders.ts'
import { guardPages, openWindow } from './window.ts'

/** The one channel; the preload says it too. */
const CONNECT = 'plimsoll:connect'

const mainDir = dirname(fileURLToPath(import.meta.url))
const verbose = process.argv.includes('--verbose')
const log = stderrLog(verbose)
const dir = dataDir()
// Only a development run may load the page from elsewhere.
const pageUrl = (app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL) ?? APP_URL

// One running Plimsoll a data folder: the lock lies in Electron's part of it.
app.setPath('userData', join(dir, 'electron'))
declareScheme()
if (app.requestSingleInstanceLock()) run()
else app.quit()

function run(): void {
  let window: BrowserWindow | undefined
  const vault = createKeyVault(join(dir, 'keys.json'), safeStorage)
  // Begins at once, beside Electron's own start.
  const composing = composeApp({ dataDir: dir, host: 'electron', fork: electronForkChild(mainDir), log, verbose, vault })
  const api = composing.then((composed) => (composed.ok ? createApi(composed.value) : undefined))
  const open = () => {
    window = openWindow({ pageUrl, preload: join(mainDir, '../preload/index.cjs') })
    window.on('closed', () => {
      window = undefined
    })
  }

  ipcMain.on(CONNECT, async (event) => {
    const port = event.ports[0]
    if (port === undefined) return
    if (!isOurPage(event.senderFrame, pageUrl)) return port.close()
    const served = await api
    if (served !== undefined) serve(contract, served, mainPortTransport(port), { reportBug: reportBugTo(log) })
  })
  app.on('second-instance', () => {
    if (window?.isMinimized()) window.restore()
    window?.focus()
  })
  app.on('window-all-closed', () => app.quit())
  quitAfter(async () => {
    const composed = await composing
    if (composed.ok) await composed.value.close()
  })

  void composing.then((composed) => {
    if (composed.ok) return
    dialog.showErrorBox('Plimsoll can’t start', problemText(composed.error))
    app.exit(1)
  })
  void app.whenReady().then(() => {
    servePage(join(mainDir, '../renderer'))
    guardPages(pageUrl)
    open()
  })
}

/** Holds the quit back until all is closed, once. */
function quitAfter(close: () => Promise<void>): void {
  let state: 'running' | 'closing' | 'closed' = 'running'
  app.on('before-quit', (event) => {
    if (state === 'closed') return
    event.preventDefault()
    if (state === 'closing') return
    state = 'closing'
    void close()
      .catch((cause: unknown) => log.error('Plimsoll did not close cleanly', cause))
      .then(() => {
        state = 'closed'
        app.quit()
      })
  })
}
