/** Ends a sweep for the command line: the HTML file is written, the table or the one JSON object is printed. */
import { join } from 'node:path'
import { analyse } from '../../../core/analysis/analyse.ts'
import { reportJson } from '../../../core/report/report-json.ts'
import { reportText } from '../../../core/report/report-text.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { renderReportHtml } from '../../services/report/render-report-html.ts'
import { reportFileName, writeReport } from '../../services/report/report-file.ts'
import type { CliIo } from './cli-io.ts'
import { printProblems } from './print-problem.ts'

export type Delivery = {
  readonly state: SweepState
  /** The sweep's running number; undefined when the store does not know it. */
  readonly number: number | undefined
  readonly dataDir: string
  /** Where the report shall stand; undefined = the data folder's `reports`. */
  readonly out: string | undefined
  readonly json: boolean
}

/** @returns whether the report could be written; what there is to say is said either way */
export async function deliverReport(delivery: Delivery, io: CliIo): Promise<boolean> {
  const { state, number, dataDir, out, json } = delivery
  const analysis = analyse(state)
  const path = out ?? join(dataDir, 'reports', reportFileName(number, state))
  const written = await writeReport(path, renderReportHtml(state, analysis, { number }))
  const reportPath = written.ok ? written.value : null
  if (json) io.out(`${JSON.stringify(reportJson(state, analysis, reportPath), null, 2)}\n`)
  else io.out(`${reportText(state, analysis, reportPath, { columns: io.columns, color: io.color })}\n`)
  if (!written.ok) printProblems(io, [written.error])
  return written.ok
}
