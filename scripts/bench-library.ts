/** What the bench needs of the product's own code, bundled for it: raw data out of a report, large synthetic sweeps through the analysis. */
import { analyse } from '../src/core/analysis/analyse.ts'
import { unpackRawData } from '../src/core/report/raw-data.ts'
import { sweepStateOf } from '../src/core/sweep/fold-sweep.ts'
import { renderReportHtml } from '../src/main/services/report/render-report-html.ts'
import { syntheticSweep } from '../test/synthetic-sweep.ts'

/** @param html a report @returns one entry a session of the measured cells, named as the driver names its requests */
export function rowsOfReport(html: string): { call: string; ttftMs: number }[] {
  const json = /<script type="application\/json" id="raw-data"[^>]*>([\s\S]*?)<\/script>/.exec(html)?.[1]
  const raw = json === undefined ? undefined : unpackRawData(JSON.parse(json))
  if (raw === undefined) throw new Error('The report holds no raw data.')
  const warmUps = new Set(raw.sweep.cells.filter((one) => one.cell.role === 'warm-up').map((one) => one.cell.index))
  return raw.sweep.rows
    .filter((row) => !warmUps.has(row.cell) && row.firstActivityAtMs !== null)
    .map((row) => ({ call: `${row.cell}-${row.wave}-${row.session}`, ttftMs: (row.firstActivityAtMs ?? 0) - row.submitAtMs }))
}

const plain = { slots: 4, prefillMs: 50, tokenMs: 10, outputTokens: 24, seed: 5 }

export function analyseRows(count: number): { rows: number; analyseMs: number; cpuMs: number } {
  const levels = [1, 2, 4, 8, 16, 32]
  const waves = Math.ceil(count / (3 * levels.reduce((a, b) => a + b, 0)))
  const state = sweepStateOf(syntheticSweep({ ...plain, levels, repeats: 3, waves }))
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  const beganMs = performance.now()
  const before = process.cpuUsage()
  analyse(state)
  const { user, system } = process.cpuUsage(before)
  return { rows: state.rows.length, analyseMs: performance.now() - beganMs, cpuMs: (user + system) / 1e3 }
}

export function standardReport(): { bytes: number; renderMs: number } {
  const state = sweepStateOf(
    syntheticSweep({ ...plain, levels: [1, 2, 4, 8, 16], repeats: 3, waves: 4, samplesPerSec: 4, background: { calls: 1, tokens: 16 } }),
  )
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  const analysis = analyse(state)
  const beganMs = performance.now()
  const html = renderReportHtml(state, analysis)
  return { bytes: new TextEncoder().encode(html).length, renderMs: performance.now() - beganMs }
}
