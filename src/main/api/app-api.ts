/** The app itself: what it is, what it found on this machine, its settings and the page's layouts. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok } from '../../core/result/result.ts'
import type { App } from '../compose.ts'
import { discover } from './discover.ts'
import { createSettings } from './settings.ts'

const layoutKey = (key: string) => `layout:${key}`

export function createAppApi(app: App): Api<PlimsollContract>['app'] {
  const { store, runner, keys } = app
  const settings = createSettings(store)
  runner.setLimit(settings.get().runnerLimit)
  settings.onChange(({ runnerLimit }) => runner.setLimit(runnerLimit))
  return {
    info: () =>
      ok({
        version: app.version,
        host: app.host === 'electron' ? 'electron' : 'web',
        dataDir: app.dataDir,
        runnerUrl: app.runnerApi.url,
        homeDir: app.homeDir,
        shell: app.shell,
        platform: process.platform,
      }),
    discover: async () => ok(await discover(app)),
    settings(_input, out) {
      void out.next(settings.get())
      return settings.onChange((changed) => void out.next(changed))
    },
    saveSettings: (change) => ok(settings.save(change)),
    keys: () => ok({ canSave: keys.vault !== null, names: [...(keys.vault?.names() ?? [])] }),
    saveKey({ name, key }) {
      const saved = keys.vault?.save(name, key) ?? err(noVault(name))
      return saved.ok ? ok({}) : saved
    },
    removeKey({ name }) {
      keys.vault?.remove(name)
      return ok({})
    },
    loadLayout({ key }) {
      const json = store.getValue(layoutKey(key))
      return ok({ json: typeof json === 'string' ? json : null })
    },
    saveLayout({ key, json }) {
      store.setValue(layoutKey(key), json)
      return ok({})
    },
  }
}

function noVault(name: string): Problem {
  return problem(
    'keychain-missing',
    'This host has no keychain; the key was not saved.',
    '',
    `Start Plimsoll with the key in the environment: ${name}=…`,
  )
}
