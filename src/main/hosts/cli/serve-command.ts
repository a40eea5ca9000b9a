/** `plimsoll serve`: the web host in the foreground, until Ctrl-C. */
import { join } from 'node:path'
import { createApi } from '../../api/create-api.ts'
import { composeApp } from '../../compose.ts'
import { nodeForkChild } from '../../platform/child.ts'
import { dataDir } from '../../platform/data-dir.ts'
import { stderrLog } from '../../platform/log.ts'
import { DEFAULT_PORT, runWebHost } from '../web/run-web-host.ts'
import type { CliIo } from './cli-io.ts'
import { EXIT } from './exit-codes.ts'
import { mainDir } from './open-app.ts'
import { printProblems } from './print-problem.ts'
import type { ServeFlags } from './program.ts'
import { readInteger } from './read-values.ts'

export async function serveCommand(flags: ServeFlags, io: CliIo): Promise<number> {
  const port = readInteger('--port', flags.port ?? String(DEFAULT_PORT), 0, 65_535, String(DEFAULT_PORT))
  if (!port.ok) {
    printProblems(io, [port.error])
    return EXIT.badInput
  }
  const verbose = flags.verbose ?? false
  const log = stderrLog(verbose)
  const stopped = new Promise<void>((resolve) => {
    let times = 0
    io.onInterrupt(() => {
      times += 1
      if (times > 1) io.quit(EXIT.interrupted)
      resolve()
    })
  })
  const composed = await composeApp({
    dataDir: dataDir(flags.data === undefined ? {} : { data: flags.data }),
    host: 'web',
    fork: nodeForkChild(mainDir),
    log,
    verbose,
  })
  if (!composed.ok) {
    printProblems(io, [composed.error])
    return EXIT.failed
  }
  const app = composed.value
  try {
    const web = await runWebHost({
      api: createApi(app),
      log,
      version: app.version,
      rendererDir: join(mainDir, '../renderer'),
      port: port.value,
      ...(flags.host === undefined ? {} : { host: flags.host }),
      devUrl: process.env.ELECTRON_RENDERER_URL,
      announce: (url) => io.out(`A fresh link: ${url}\n`),
    })
    if (!web.ok) {
      printProblems(io, [web.error])
      return EXIT.failed
    }
    io.out(`Plimsoll is at ${web.value.url}\n`)
    if (!web.value.loopbackOnly) io.err('Other machines can reach it, over plain HTTP: whoever has the link can open shells here.\n')
    io.err('The link works once. Ctrl-C ends Plimsoll.\n')
    await stopped
    await web.value.close()
    return EXIT.done
  } finally {
    await app.close()
  }
}
