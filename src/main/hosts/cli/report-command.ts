/** `plimsoll report ID|last`: the report of a stored sweep again, and `plimsoll list`: which sweeps there are. */
import { analyse } from '../../../core/analysis/analyse.ts'
import { levelsCsv } from '../../../core/report/levels-csv.ts'
import { printable } from '../../../core/report/printable.ts'
import { sessionsCsv } from '../../../core/report/sessions-csv.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import type { SweepListRow } from '../../../core/sweep/sweep-list-row.ts'
import { formatMoment } from '../../services/report/format-date.ts'
import { writeReport } from '../../services/report/report-file.ts'
import type { CliApp, OpenCliApp } from './cli-app.ts'
import type { CliIo } from './cli-io.ts'
import { deliverReport } from './deliver-report.ts'
import { EXIT } from './exit-codes.ts'
import { printProblems } from './print-problem.ts'

export type StoredFlags = { out?: string; json?: boolean; csv?: string; levelsCsv?: string; data?: string; verbose?: boolean }

export async function reportCommand(which: string, flags: StoredFlags, openApp: OpenCliApp, io: CliIo): Promise<number> {
  return withApp(flags, openApp, io, async (app) => {
    const found = findSweep(app.listSweeps(), which)
    if (!found.ok) {
      printProblems(io, [found.error])
      return EXIT.failed
    }
    const state = sweepStateOf(app.readSweepEvents(found.value.sweepId))
    if (state === undefined) {
      printProblems(io, [
        problem('sweep-empty', `Sweep ${found.value.number} holds no events.`, 'It ended before it began.', 'Run it again: plimsoll sweep'),
      ])
      return EXIT.failed
    }
    if (flags.csv !== undefined || flags.levelsCsv !== undefined) return writeTables(state, flags, io)
    const written = await deliverReport({ state, number: found.value.number, dataDir: app.dataDir, out: flags.out, json: flags.json ?? false }, io)
    return written ? EXIT.done : EXIT.failed
  })
}

/** Only the tables that were asked for; where each stands is said. */
async function writeTables(state: SweepState, { csv, levelsCsv: levels }: StoredFlags, io: CliIo): Promise<number> {
  const files = [
    ...(csv === undefined ? [] : [{ path: csv, text: () => sessionsCsv(state) }]),
    ...(levels === undefined ? [] : [{ path: levels, text: () => levelsCsv(state, analyse(state)) }]),
  ]
  for (const { path, text } of files) {
    const written = await writeReport(path, text())
    if (!written.ok) {
      printProblems(io, [written.error])
      return EXIT.failed
    }
    io.out(`${written.value}\n`)
  }
  return EXIT.done
}

export async function listCommand(flags: StoredFlags, openApp: OpenCliApp, io: CliIo): Promise<number> {
  return withApp(flags, openApp, io, async (app) => {
    const rows = app.listSweeps()
    if (flags.json === true) io.out(`${JSON.stringify(rows, null, 2)}\n`)
    else io.out(rows.length === 0 ? 'No sweeps yet. `plimsoll sweep` runs one.\n' : `${rows.map(listLine).join('\n')}\n`)
    return EXIT.done
  })
}

export async function withApp(flags: StoredFlags, openApp: OpenCliApp, io: CliIo, use: (app: CliApp) => Promise<number>): Promise<number> {
  const opened = await openApp({ data: flags.data, verbose: flags.verbose ?? false })
  if (!opened.ok) {
    printProblems(io, [opened.error])
    return EXIT.failed
  }
  try {
    return await use(opened.value)
  } finally {
    await opened.value.close()
  }
}

/** By `last`, by running number, or by id. */
export function findSweep(rows: readonly SweepListRow[], which: string): Result<SweepListRow, Problem> {
  const found = which === 'last' ? rows[0] : rows.find((row) => String(row.number) === which || row.sweepId === which)
  if (found !== undefined) return ok(found)
  const there =
    rows.length === 0
      ? 'There are none yet.'
      : `There are ${rows
          .slice(0, 8)
          .map((row) => row.number)
          .join(', ')}${rows.length > 8 ? ' …' : ''}.`
  return err(problem('sweep-missing', `There is no sweep "${which}".`, there, '`plimsoll list` shows them all.'))
}

function listLine(row: SweepListRow): string {
  const verdict = row.verdict === null ? row.status : `${row.verdict.primary}, ${row.verdict.confidence}`
  const columns = [
    String(row.number).padStart(4),
    formatMoment(row.startedEpochMs).padEnd(24),
    row.status.padEnd(11),
    `load line ${row.ceiling}`.padEnd(15),
    `N ${row.levels.join(',')}`.padEnd(14),
    `${row.targetLabel}${row.simulated && !row.targetLabel.includes('simulated') ? ' (simulated)' : ''}`,
    verdict,
  ]
  return printable(columns.join('  '))
}
