/** The app itself: what it is. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import { ok } from '../../core/result/result.ts'
import type { App } from '../compose.ts'

export function createAppApi(app: App): Pick<Api<PlimsollContract>['app'], 'info'> {
  return {
    info: () =>
      ok({
        version: app.version,
        host: app.host === 'electron' ? 'electron' : 'web',
        dataDir: app.dataDir,
        runnerUrl: null,
        homeDir: app.homeDir,
        shell: app.shell,
        platform: process.platform,
      }),
  }
}
