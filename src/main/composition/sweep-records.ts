/**
 * Joins sweep service, store, analysis and report: a sweep's events are kept as they come, its summary at its end, its report on demand.
 * A sweep that was cut off with its Plimsoll gets its summary at the next start.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Analysis } from '../../core/analysis/analysis.ts'
import { compareSweeps } from '../../core/compare/compare-sweeps.ts'
import type { Comparison } from '../../core/compare/comparison.ts'
import { levelsCsv } from '../../core/report/levels-csv.ts'
import { readReportFile } from '../../core/report/read-report-file.ts'
import { ceilingText, isSimulated } from '../../core/report/report-levels.ts'
import { sessionsCsv } from '../../core/report/sessions-csv.ts'
import type { SweepId } from '../../core/result/ids.ts'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
import { eventsOfState } from '../../core/sweep/events-of-state.ts'
import { type SweepState, sweepStateOf } from '../../core/sweep/fold-sweep.ts'
import type { SweepEvent } from '../../core/sweep/sweep-event.ts'
import type { SweepListRow, SweepOpening, SweepSummary } from '../../core/sweep/sweep-list-row.ts'
import { targetLabel } from '../../core/sweep/target.ts'
import type { Log } from '../platform/log.ts'

/** What is used of the store. */
export interface SweepKeeper {
  createSweep(opening: SweepOpening): Result<number, Problem>
  appendSweepEvents(sweepId: SweepId, events: readonly SweepEvent[]): void
  readSweepEvents(sweepId: SweepId): SweepEvent[]
  listSweeps(): SweepListRow[]
  finishSweep(sweepId: SweepId, summary: SweepSummary): void
  importSweep(opening: SweepOpening, events: readonly SweepEvent[], summary: SweepSummary): Result<{ isNew: boolean }, Problem>
  flush(): Result<void, Problem>
}

export interface SweepRecordsDeps {
  store: SweepKeeper
  /** Folder that reports are written to; made when missing. */
  reportsDir: string
  log: Log
  analyse(state: SweepState): Analysis
  /** Both are large and seldom wanted: loaded when they are. */
  renderHtml(state: SweepState, analysis: Analysis, options: { number?: number }): Promise<string>
  renderJson(state: SweepState, analysis: Analysis, reportPath: string | null): unknown
}

export type ReportFormat = 'html' | 'json' | 'csv' | 'csv-levels'

export interface SweepReport {
  readonly fileName: string
  readonly mediaType: string
  readonly content: string
  /** Null when it could not be written; the content is there all the same. */
  readonly path: string | null
}

export type ReadSweep = { readonly state: SweepState; readonly analysis: Analysis; readonly number: number | undefined }

export interface SweepRecords {
  /** Of a running or an ended sweep, as far as it was stored. */
  read(sweepId: SweepId): Result<ReadSweep, Problem>
  report(sweepId: SweepId, format: ReportFormat): Promise<Result<SweepReport, Problem>>
  /** A report file of this or another machine becomes a stored sweep, by its own id; one that is here already stays as it is. */
  importReport(fileName: string, content: string): Result<{ sweepId: SweepId; isNew: boolean }, Problem>
  /** @param marginRatio a change within it is none; absent = a tenth */
  compare(before: SweepId, after: SweepId, marginRatio?: number): Result<Comparison, Problem>
  finish(sweepId: SweepId, state: SweepState): void
  /** Gives those ended sweeps a summary that have none: they were cut off. */
  summariseInterrupted(): void
}

function summaryOf(state: SweepState, analysis: Analysis | undefined): SweepSummary {
  const verdict = analysis?.verdict
  const levels = [...new Set(analysis?.levels.filter(({ leg }) => leg !== 'null').map(({ n }) => n))].sort((a, b) => a - b)
  return {
    status: state.status === 'running' ? 'interrupted' : state.status,
    durationMs: state.lastAtMs,
    ...(levels.length === 0 ? {} : { levels }),
    verdict: verdict === undefined ? null : { primary: verdict.primary, confidence: verdict.confidence, sentence: verdict.sentence },
    ceiling: analysis === undefined ? '–' : ceilingText(analysis.ceilings.slo),
  }
}

/** As `run-sweep` opens one, from what the file says. */
function openingOf(state: SweepState): SweepOpening {
  const { plan, facts, startedEpochMs } = state
  return {
    sweepId: plan.sweepId,
    startedEpochMs,
    targetLabel: facts === null ? plan.request.target.model : targetLabel(facts),
    simulated: isSimulated(state),
    levels: plan.request.levels,
    cellsPlanned: plan.cells.length,
  }
}

const noSweep = (sweepId: SweepId) =>
  problem('sweep-missing', `There is no sweep ${sweepId}.`, 'One that is in the list.', 'It may have been deleted; reload the list.')

const FILE_ENDS: Readonly<Record<ReportFormat, string>> = { html: '.html', json: '.json', csv: '-sessions.csv', 'csv-levels': '-levels.csv' }

/** "plimsoll-sweep-7-2026-01-31.html": sorts by number, says its day. */
function fileNameOf({ state, number }: ReadSweep, format: ReportFormat): string {
  const day = new Date(state.startedEpochMs).toISOString().slice(0, 10)
  return `plimsoll-sweep-${number ?? state.plan.sweepId}-${day}${FILE_ENDS[format]}`
}

export function createSweepRecords(deps: SweepRecordsDeps): SweepRecords {
  const { store, log } = deps

  const read = (sweepId: SweepId): Result<ReadSweep, Problem> => {
    const state = sweepStateOf(store.readSweepEvents(sweepId))
    if (state === undefined) return err(noSweep(sweepId))
    return ok({ state, analysis: deps.analyse(state), number: store.listSweeps().find((row) => row.sweepId === sweepId)?.number })
  }

  async function write(fileName: string, content: string): Promise<string | null> {
    const path = join(deps.reportsDir, fileName)
    try {
      await mkdir(deps.reportsDir, { recursive: true })
      await writeFile(path, content)
      return path
    } catch (cause) {
      log.error(`The report could not be written to ${path}`, cause)
      return null
    }
  }

  const analysed = (sweepId: SweepId, state: SweepState): Analysis | undefined => {
    try {
      return deps.analyse(state)
    } catch (cause) {
      // The sweep has ended and must say so, whatever the analysis makes of it.
      log.error(`Sweep ${sweepId} could not be analysed`, cause)
      return undefined
    }
  }

  const finish = (sweepId: SweepId, state: SweepState) => {
    store.finishSweep(sweepId, summaryOf(state, analysed(sweepId, state)))
    store.flush()
  }

  return {
    read,
    async report(sweepId, format) {
      const sweep = read(sweepId)
      if (!sweep.ok) return sweep
      const { state, analysis, number } = sweep.value
      const fileName = fileNameOf(sweep.value, format)
      if (format === 'html') {
        const content = await deps.renderHtml(state, analysis, number === undefined ? {} : { number })
        return ok({ fileName, mediaType: 'text/html', content, path: await write(fileName, content) })
      }
      if (format === 'csv' || format === 'csv-levels') {
        const content = format === 'csv' ? sessionsCsv(state) : levelsCsv(state, analysis)
        return ok({ fileName, mediaType: 'text/csv', content, path: await write(fileName, content) })
      }
      // The object names its own file, so what it says must be known to be true first.
      const textWith = (path: string | null) => `${JSON.stringify(deps.renderJson(state, analysis, path), null, 2)}\n`
      const path = await write(fileName, textWith(join(deps.reportsDir, fileName)))
      return ok({ fileName, mediaType: 'application/json', content: textWith(path), path })
    },
    importReport(fileName, content) {
      const file = readReportFile(fileName, content)
      if (!file.ok) return file
      const state = file.value
      const { sweepId } = state.plan
      const imported = store.importSweep(openingOf(state), eventsOfState(state), summaryOf(state, analysed(sweepId, state)))
      return imported.ok ? ok({ sweepId, isNew: imported.value.isNew }) : imported
    },
    compare(before, after, marginRatio) {
      const [a, b] = [read(before), read(after)]
      if (!a.ok) return a
      return b.ok ? ok(compareSweeps(a.value.state, b.value.state, marginRatio)) : b
    },
    finish,
    summariseInterrupted() {
      for (const row of store.listSweeps()) {
        if (row.status === 'running' || row.verdict !== null || row.sessions === 0) continue
        const state = sweepStateOf(store.readSweepEvents(row.sweepId))
        if (state !== undefined) finish(row.sweepId, state)
      }
    },
  }
}
