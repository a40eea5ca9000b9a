/** The composed app as the commands see it. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ok } from '../../../core/result/result.ts'
import { type App, composeApp } from '../../compose.ts'
import { nodeForkChild } from '../../platform/child.ts'
import { dataDir } from '../../platform/data-dir.ts'
import { stderrLog } from '../../platform/log.ts'
import type { CliApp, FoundServer, OpenCliApp } from './cli-app.ts'

/** Folder of the built files: this module is bundled into one of them. */
const builtFile = fileURLToPath(import.meta.url)
export const mainDir = dirname(builtFile).replace(/[/\\]chunks$/, '')

export const openCliApp: OpenCliApp = async ({ data, verbose }) => {
  const composed = await composeApp({
    dataDir: dataDir(data === undefined ? {} : { data }),
    host: 'cli',
    fork: nodeForkChild(mainDir),
    log: stderrLog(verbose),
    verbose,
  })
  return composed.ok ? ok(cliAppOf(composed.value)) : composed
}

function cliAppOf(app: App): CliApp {
  return {
    dataDir: app.dataDir,
    sweeps: app.sweeps,
    tuner: app.tuner,
    listSweeps: () => app.store.listSweeps(),
    readSweepEvents: (sweepId) => app.store.readSweepEvents(sweepId),
    importReport: (fileName, content) => app.sweepRecords.importReport(fileName, content),
    chats: { list: () => app.store.listChats(), events: (sessionId) => app.store.readSessionEvents(sessionId) },
    async discoverServers(url) {
      const servers = await app.models.discoverServers(url === undefined ? undefined : [url])
      return servers.map(
        ({ url: address, version, models, problem }): FoundServer => ({
          label: version === null || version.startsWith('0.0.0') ? 'The model server' : `Ollama ${version}`,
          url: address,
          models: models.map(({ name }) => name),
          problem,
        }),
      )
    },
    close: () => app.close(),
  }
}
