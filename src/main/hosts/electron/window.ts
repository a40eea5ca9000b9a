/** The window, and what no page in it may do: leave, open others, attach web views, ask for permissions. */
import { app, BrowserWindow, session, shell, type WebContents } from 'electron'
import { originOf } from './senders.ts'

export interface WindowOptions {
  pageUrl: string
  preload: string
}

export function openWindow({ pageUrl, preload }: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 800,
    minHeight: 500,
    show: false,
    title: 'Plimsoll',
    // The dark theme's deepest surface: no white flash before the page has drawn.
    backgroundColor: '#0d1117',
    autoHideMenuBar: true,
    webPreferences: { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true, spellcheck: false },
  })
  window.once('ready-to-show', () => window.show())
  void window.loadURL(pageUrl)
  return window
}

/** Links of terminals and answers open in the person's browser; nothing else leaves the window. */
function openOutside(url: string): void {
  const { protocol } = new URL(url)
  if (protocol === 'https:' || protocol === 'http:') void shell.openExternal(url)
}

/** Once, before the first window. */
export function guardPages(pageUrl: string): void {
  const ours = originOf(pageUrl)
  app.on('web-contents-created', (_event, contents: WebContents) => {
    contents.setWindowOpenHandler(({ url }) => {
      openOutside(url)
      return { action: 'deny' }
    })
    contents.on('will-navigate', (event) => {
      if (originOf(event.url) !== ours) event.preventDefault()
    })
    contents.on('will-frame-navigate', (event) => {
      if (originOf(event.url) !== ours) event.preventDefault()
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
  // Copying is all that a page of ours asks for.
  const mayHave = (permission: string) => permission === 'clipboard-sanitized-write'
  session.defaultSession.setPermissionRequestHandler((_contents, permission, decide) => decide(mayHave(permission)))
  session.defaultSession.setPermissionCheckHandler((_contents, permission) => mayHave(permission))
}
