/** The figures under their levels; also what a screen reader reads instead of the chart. */
import type { ReactNode } from 'react'
import { formatAmount, formatRate } from '../../../core/report/format-number.ts'
import { percentileText } from '../../../core/report/format-percentile.ts'
import type { ChartColumn, ChartModel } from './chart-model.ts'
import { AXIS_WIDTH, RIGHT_MARGIN } from './latency-chart.tsx'
import styles from './level-table.module.css'

/** For p95, and with it for the bound of what held (M8). */
const BOUND_SAMPLES = 59

const nothing = <small>–</small>

function sessionsCell(column: ChartColumn): ReactNode {
  if (column.sessions > 0) return column.sessions
  return column.firstCell === null ? nothing : <small>cell {column.firstCell}</small>
}

function heldCell(column: ChartColumn): ReactNode {
  const held = column.summary?.held
  if (held === undefined || held.ratio === null) return column.sessions === 0 ? nothing : <small>{`${column.sessions} of ${BOUND_SAMPLES}`}</small>
  return (
    <>
      {Math.round(held.ratio * 100)} % {held.lowerBound === null ? null : <small>≥ {Math.floor(held.lowerBound * 100)}</small>}
    </>
  )
}

type Row = { readonly name: string; readonly title: string; readonly spokenOnly?: boolean; cell(column: ChartColumn): ReactNode }

function rowsOf(model: ChartModel): Row[] {
  const percentiles = (column: ChartColumn) => {
    const { summary } = column
    if (summary === undefined) return undefined
    switch (model.metric) {
      case 'ttfa':
        return summary.ttfaMs
      case 'first model request':
        return summary.firstModelRequestMs
      case 'done':
        return summary.doneMs
      case 'wall':
        return summary.wallMs
    }
  }
  const text = (name: 'p50' | 'p95') => (column: ChartColumn) => {
    const known = percentiles(column)
    return known === undefined ? nothing : percentileText(known, name)
  }
  const rows: Row[] = [
    { name: 'p50', title: `p50 of ${model.metric}`, spokenOnly: true, cell: text('p50') },
    { name: 'p95', title: `p95 of ${model.metric}`, spokenOnly: true, cell: text('p95') },
    { name: 'sessions', title: 'Sessions that ended at this level', cell: sessionsCell },
    { name: 'held', title: 'Share that held the SLO, and its one-sided 95 % lower bound', cell: heldCell },
    {
      name: 'tokens/s',
      title: 'Output tokens a second, all sessions together',
      cell: (column) => (column.summary?.tokensPerSec == null ? nothing : formatRate(column.summary.tokensPerSec)),
    },
    {
      name: 'at once',
      title: 'Answers that streamed at the same moment',
      cell: (column) => (column.summary?.slotsInUse == null ? nothing : formatAmount(column.summary.slotsInUse)),
    },
  ]
  if (model.columns.some((column) => column.failures > 0)) {
    rows.push({
      name: 'failed',
      title: 'Sessions that failed',
      cell: (column) => (column.failures === 0 ? '0' : <span className="fail">{column.failures}</span>),
    })
  }
  return rows
}

export function LevelTable({ model }: { model: ChartModel }) {
  return (
    <table className={styles.table}>
      <caption className="sr">
        {model.metric} and load by level, {model.leg} leg
      </caption>
      <colgroup>
        <col style={{ width: AXIS_WIDTH }} />
        {model.columns.map((column) => (
          <col key={column.n} />
        ))}
        <col style={{ width: RIGHT_MARGIN }} />
      </colgroup>
      <thead className="sr">
        <tr>
          <th scope="col">level</th>
          {model.columns.map((column) => (
            <th key={column.n} scope="col">
              N = {column.n}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rowsOf(model).map((row) => (
          <tr key={row.name} className={row.spokenOnly ? 'sr' : undefined} title={row.title}>
            <th scope="row">{row.name}</th>
            {model.columns.map((column) => (
              <td key={column.n}>{row.cell(column)}</td>
            ))}
            <td aria-hidden="true" />
          </tr>
        ))}
      </tbody>
    </table>
  )
}
