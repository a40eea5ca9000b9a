/** What main says of itself, and the settings; the theme takes hold of the page here. */
import type { AppInfo, Settings } from '../../contract/endpoints/app.ts'
import type { NoticeStore } from './notice-store.ts'
import type { PageConnection } from './page-connection.ts'
import { createStore, type ReadableStore } from './store.ts'

export type AppState = { readonly info: AppInfo | null; readonly settings: Settings | null }

export type SettingsStore = ReadableStore<AppState> & {
  save(change: Partial<Settings>): void
  /** Goes through system, light and dark. */
  nextTheme(): void
}

/** Only so that a reload does not flash in the other theme; main's settings decide. */
const THEME_KEY = 'plimsoll-theme'
const THEMES = ['system', 'light', 'dark'] as const

function applyTheme(theme: Settings['theme']): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  localStorage.setItem(THEME_KEY, theme)
}

/** Before anything is drawn. */
export function applyLastTheme(): void {
  const last = THEMES.find((theme) => theme === localStorage.getItem(THEME_KEY))
  if (last !== undefined) applyTheme(last)
}

export function createSettingsStore(connection: PageConnection, notices: NoticeStore): SettingsStore {
  const store = createStore<AppState>({ info: null, settings: null })
  connection.live((client) => {
    void client.app.info({}).then((answer) => answer.ok && store.update((now) => ({ ...now, info: answer.value })))
    return client.app.settings(
      {},
      {
        next(settings) {
          applyTheme(settings.theme)
          store.update((now) => ({ ...now, settings }))
        },
      },
    )
  })
  const save = (change: Partial<Settings>) => {
    void connection.client.app.saveSettings(change).then((answer) => {
      if (!answer.ok) return notices.fail(answer.error)
      applyTheme(answer.value.theme)
      store.update((now) => ({ ...now, settings: answer.value }))
    })
  }
  return {
    get: store.get,
    subscribe: store.subscribe,
    save,
    nextTheme() {
      const theme = store.get().settings?.theme ?? 'system'
      save({ theme: THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system' })
    },
  }
}
