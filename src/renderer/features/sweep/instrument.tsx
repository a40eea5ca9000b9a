/** What Plimsoll measured of itself (M10): the instrument's own limits beside every sweep. */

import { formatMs, formatPercent } from '../../../core/report/format-number.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { type KeyValue, KeyValues } from '../../ui/panel.tsx'

/** M10's bounds. */
const LIMITS = { delayMs: 25, samplerPercent: 1 }

const most = (values: readonly (number | null | undefined)[]): number | null => {
  const known = values.filter((value) => value !== null && value !== undefined)
  return known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b))
}

const quantile = (values: readonly number[], q: number): number | null => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted.length === 0 ? null : (sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? null)
}

function row(key: string, value: number | null, limit: number, text: (value: number) => string): KeyValue {
  if (value === null) return { key, value: '–' }
  if (value <= limit) return { key, value: text(value) }
  return {
    key,
    value: (
      <>
        <span className="fail">{text(value)}, over</span> <span className="dim">{limit}</span>
      </>
    ),
  }
}

export function Instrument({ state }: { state: SweepState }) {
  const drivers = state.cells.flatMap((cell) => (cell.driver === null || cell.cell.role === 'warm-up' ? [] : [cell.driver]))
  const lag = most(drivers.map((driver) => driver.lagP99Ms))
  const receive = quantile(
    state.rows.flatMap((r) => (r.receiveLagMs === null ? [] : [r.receiveLagMs])),
    0.99,
  )
  const loop = quantile(
    state.samples.map((sample) => sample.loop.delayP99Ms),
    0.99,
  )
  const sampler = state.samples.length === 0 ? null : state.samples.reduce((sum, sample) => sum + sample.sampler.cpuPercent, 0) / state.samples.length
  const rows = [
    row('Driver lag', lag, LIMITS.delayMs, formatMs),
    row('Receive lag', receive, LIMITS.delayMs, formatMs),
    row('Loop delay', loop, LIMITS.delayMs, formatMs),
    row('Sampler’s CPU', sampler, LIMITS.samplerPercent, formatPercent),
  ]
  return <KeyValues rows={rows} />
}
