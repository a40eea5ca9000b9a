/** The settings as the contract knows them, kept in the store; a stored value that no longer fits counts as the default, one by one. */
import { type Settings, settingsSchema } from '../../contract/endpoints/app.ts'
import { createListeners } from '../composition/listeners.ts'

export interface SettingsKeeper {
  getValue(key: string): unknown
  setValue(key: string, value: unknown): void
}

export interface SettingsBook {
  get(): Settings
  save(change: Partial<Settings>): Settings
  onChange(listener: (settings: Settings) => void): () => void
}

const KEY = 'settings'

export function readSettings(stored: unknown): Settings {
  const given: Record<string, unknown> = typeof stored === 'object' && stored !== null ? { ...stored } : {}
  const fitting = Object.entries(settingsSchema.shape).filter(([key, field]) => field.safeParse(given[key]).success)
  return settingsSchema.parse(Object.fromEntries(fitting.map(([key]) => [key, given[key]])))
}

export function createSettings(store: SettingsKeeper): SettingsBook {
  let settings = readSettings(store.getValue(KEY))
  const changes = createListeners<Settings>()
  return {
    get: () => settings,
    save(change) {
      settings = settingsSchema.parse({ ...settings, ...change })
      store.setValue(KEY, settings)
      changes.tell(settings)
      return settings
    },
    onChange: changes.add,
  }
}
