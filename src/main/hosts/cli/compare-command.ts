/** `plimsoll compare BEFORE AFTER`: stored sweeps or report files, figure by figure; for CI with an exit code of its own for a regression. */
import { compareSweeps } from '../../../core/compare/compare-sweeps.ts'
import { comparisonText } from '../../../core/compare/comparison-text.ts'
import { readReportFile } from '../../../core/report/read-report-file.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import type { CliApp, OpenCliApp } from './cli-app.ts'
import type { CliIo } from './cli-io.ts'
import { EXIT } from './exit-codes.ts'
import { printProblems } from './print-problem.ts'
import { looksLikeFile, readSweepFile } from './read-sweep-file.ts'
import { readRatio } from './read-values.ts'
import { findSweep, type StoredFlags, withApp } from './report-command.ts'

export type CompareFlags = StoredFlags & { failOn?: string; margin?: string }

type Side = { readonly name: string; readonly state: SweepState }

export async function compareCommand(given: readonly [string, string], flags: CompareFlags, openApp: OpenCliApp, io: CliIo): Promise<number> {
  const options = readOptions(flags)
  if (!options.ok) {
    printProblems(io, [options.error])
    return EXIT.badInput
  }
  // Two files need nothing of the app, nor of its data folder.
  if (given.every(looksLikeFile)) return compareGiven(given, flags, options.value, undefined, io)
  return withApp(flags, openApp, io, (app) => compareGiven(given, flags, options.value, app, io))
}

function readOptions({ failOn, margin }: CompareFlags): Result<{ marginRatio: number | undefined }, Problem> {
  if (failOn !== undefined && failOn !== 'regression')
    return err(problem('option-invalid', `--fail-on ${failOn} can't be used.`, 'Expected the word regression.', 'For example: --fail-on regression'))
  if (margin === undefined) return ok({ marginRatio: undefined })
  const read = readRatio('--margin', margin, '10%')
  if (!read.ok) return read
  if (read.value === 0)
    return err(problem('option-invalid', '--margin 0 can’t be used.', 'No two runs are alike to the last digit.', 'For example: --margin 10%'))
  return ok({ marginRatio: read.value })
}

async function compareGiven(
  given: readonly [string, string],
  flags: CompareFlags,
  { marginRatio }: { marginRatio: number | undefined },
  app: CliApp | undefined,
  io: CliIo,
): Promise<number> {
  const sides = await Promise.all(given.map((which) => readSide(which, app)))
  const problems = sides.flatMap((side) => (side.ok ? [] : [side.error]))
  const [before, after] = sides.flatMap((side) => (side.ok ? [side.value] : []))
  if (before === undefined || after === undefined) {
    printProblems(io, problems)
    return EXIT.failed
  }
  const comparison = compareSweeps(before.state, after.state, marginRatio)
  if (flags.json === true) io.out(`${JSON.stringify(comparison, null, 2)}\n`)
  else io.out(`${comparisonText(comparison, { before: before.name, after: after.name })}\n`)
  if (flags.failOn === undefined) return EXIT.done
  if (comparison.regression) return EXIT.regression
  if (comparison.comparable) return EXIT.done
  // A gate that could not look must not let through.
  printProblems(io, [
    problem(
      'nothing-compared',
      'No figure of the two sweeps could be compared.',
      comparison.sentence,
      'Run both with the same workload, load and levels.',
    ),
  ])
  return EXIT.failed
}

async function readSide(which: string, app: CliApp | undefined): Promise<Result<Side, Problem>> {
  if (looksLikeFile(which) || app === undefined) {
    const file = await readSweepFile(which)
    if (!file.ok) return file
    const state = readReportFile(file.value.fileName, file.value.content)
    return state.ok ? ok({ name: file.value.fileName, state: state.value }) : state
  }
  const found = findSweep(app.listSweeps(), which)
  if (!found.ok) return found
  const { sweepId, number, targetLabel } = found.value
  const state = sweepStateOf(app.readSweepEvents(sweepId))
  return state === undefined
    ? err(problem('sweep-empty', `Sweep ${number} holds no events.`, 'It ended before it began.', 'Run it again: plimsoll sweep'))
    : ok({ name: `sweep ${number}, ${targetLabel}`, state })
}
