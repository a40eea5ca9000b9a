import { expect, test } from 'vitest'
import { contract } from '../../contract/endpoints/index.ts'
import { createSettings, readSettings } from './settings.ts'

function keeper(stored: Record<string, unknown> = {}) {
  const values = new Map(Object.entries(stored))
  return { getValue: (key: string) => values.get(key), setValue: (key: string, value: unknown) => void values.set(key, value), values }
}

test('saving one setting leaves the others as they were, over the contract’s own schema too', () => {
  const settings = createSettings(keeper({ settings: { runnerLimit: 16, terminalFontSize: 15 } }))
  settings.save(contract.app.saveSettings.input.parse({ theme: 'dark' }))
  expect(settings.get()).toMatchObject({ theme: 'dark', runnerLimit: 16, terminalFontSize: 15 })
})

test('what is stored comes back, and whoever listens is told', () => {
  const store = keeper()
  const settings = createSettings(store)
  const heard: number[] = []
  const stop = settings.onChange(({ runnerLimit }) => heard.push(runnerLimit))
  settings.save({ runnerLimit: 8 })
  stop()
  settings.save({ runnerLimit: 9 })
  expect(heard).toEqual([8])
  expect(createSettings(store).get().runnerLimit).toBe(9)
})

test('a stored value that no longer fits is the default, the others stay', () => {
  expect(readSettings({ runnerLimit: -1, theme: 'dark', webgl: 7 })).toMatchObject({ runnerLimit: 4, theme: 'dark', webgl: 'auto' })
  expect(readSettings('nonsense')).toMatchObject({ runnerLimit: 4 })
})
