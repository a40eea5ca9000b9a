/** `plimsoll import FILE`: a report file becomes a stored sweep again. */
import { sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import type { OpenCliApp } from './cli-app.ts'
import type { CliIo } from './cli-io.ts'
import { EXIT } from './exit-codes.ts'
import { printProblems } from './print-problem.ts'
import { readSweepFile } from './read-sweep-file.ts'
import { type StoredFlags, withApp } from './report-command.ts'

export async function importCommand(path: string, flags: StoredFlags, openApp: OpenCliApp, io: CliIo): Promise<number> {
  const file = await readSweepFile(path)
  if (!file.ok) {
    printProblems(io, [file.error])
    return EXIT.failed
  }
  return withApp(flags, openApp, io, async (app) => {
    const imported = app.importReport(file.value.fileName, file.value.content)
    if (!imported.ok) {
      printProblems(io, [imported.error])
      return EXIT.failed
    }
    const { sweepId, isNew } = imported.value
    const number = app.listSweeps().find((row) => row.sweepId === sweepId)?.number
    const sessions = sweepStateOf(app.readSweepEvents(sweepId))?.rows.length ?? 0
    if (flags.json === true) io.out(`${JSON.stringify({ sweepId, number: number ?? null, isNew, sessions })}\n`)
    else
      io.out(
        isNew
          ? `Sweep ${number}: ${sessions} sessions. \`plimsoll report ${number}\` writes its report.\n`
          : `It is here already, as sweep ${number}.\n`,
      )
    return EXIT.done
  })
}
