/** The verdict as it firms up: sentence, confidence, ceilings, shares of the growth, evidence, and what to do with it. */
import { memo } from 'react'
import type { Analysis, Ceiling, Evidence, Part } from '../../../core/analysis/analysis.ts'
import { formatCount, formatRatio } from '../../../core/report/format-number.ts'
import { ceilingText, isSimulated, sweepNumbers, voidCells } from '../../../core/report/report-levels.ts'
import { CONFIDENCES, count, PART_WORDS } from '../../../core/report/words.ts'
import type { SweepId } from '../../../core/result/ids.ts'
import { problemText } from '../../../core/result/problem.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { classNames } from '../../ui/class-names.ts'
import { CheckGlyph, CrossGlyph, OpenRingGlyph } from '../../ui/glyphs.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel.tsx'
import { sloCeiling } from './chart-model.ts'
import { Instrument } from './instrument.tsx'
import { VerdictActions } from './verdict-actions.tsx'
import styles from './verdict-panel.module.css'

type VerdictPanelProps = { sweepId: SweepId; state: SweepState; analysis: Analysis | undefined }

export const VerdictPanel = memo(function VerdictPanel({ sweepId, state, analysis }: VerdictPanelProps) {
  const { cellsDone, sessions } = sweepNumbers(state)
  const invalid = analysis?.verdict.primary === 'invalid_measurement'
  const after = `${state.status === 'running' ? 'after ' : ''}${count(cellsDone, 'cell')}, ${formatCount(sessions)} sessions`
  return (
    <aside className={styles.panel} aria-label="Verdict" data-region tabIndex={-1}>
      <PanelHead title="Verdict">
        <span className="s dim">{after}</span>
      </PanelHead>
      <div className={styles.scroll}>
        <div className={styles.body} aria-live="polite">
          {isSimulated(state) ? <span className={styles.simulated}>simulated server</span> : null}
          <p className="l">{analysis?.verdict.sentence ?? 'Too early: no cell has ended yet.'}</p>
          {invalid ? null : <Confidence at={analysis?.verdict.confidence ?? 'cannot-tell'} />}
          {analysis?.verdict.toSettle == null ? null : (
            <p className={`s dim ${styles.note}`}>
              <span className="strong">To settle it:</span> {analysis.verdict.toSettle}
            </p>
          )}
        </div>
        {invalid ? <OwnLimits state={state} /> : null}
        <div className={classNames(styles.body, invalid && 'dim')}>
          <h3>{invalid ? 'Measured, but not to be trusted' : 'Ceilings'}</h3>
          <Ceilings state={state} analysis={analysis} />
        </div>
        {analysis?.growth == null || invalid ? null : <Growth growth={analysis.growth} />}
        <EvidenceList evidence={analysis?.verdict.evidence ?? []} state={state} />
        {analysis === undefined ? null : <WhatMoves verdict={analysis.verdict} />}
      </div>
      {state.status === 'running' ? null : <VerdictActions sweepId={sweepId} state={state} analysis={analysis} />}
      <FootNotes state={state} analysis={analysis} />
    </aside>
  )
})

function Confidence({ at }: { at: (typeof CONFIDENCES)[number]['code'] }) {
  const place = CONFIDENCES.findIndex((step) => step.code === at)
  return (
    <ol className={styles.sure} aria-label={`Confidence: ${CONFIDENCES[place]?.label}, ${place + 1} of 4`}>
      {CONFIDENCES.map((step, i) => (
        <li key={step.code} className={classNames(i <= place && styles.on, i === place && styles.here)}>
          {step.label}
        </li>
      ))}
    </ol>
  )
}

function Ceilings({ state, analysis }: { state: SweepState; analysis: Analysis | undefined }) {
  const rows: readonly [string, Ceiling | undefined][] = [
    ['SLO', analysis === undefined ? undefined : sloCeiling(state, analysis)],
    ['Throughput', analysis?.ceilings.throughput],
    ['Errors', analysis?.ceilings.error],
  ]
  return (
    <table className={styles.ceilings}>
      <caption className="sr">Ceilings</caption>
      <tbody>
        {rows.map(([name, ceiling], i) => (
          <tr key={name}>
            <th scope="row" className={i === 0 ? 'strong' : undefined}>
              {i === 0 ? <Mark className={styles.mark} size={14} /> : <i className={styles.gap} />}
              {name}
            </th>
            <td className={i === 0 ? 'strong' : undefined}>{ceiling === undefined ? '–' : ceilingText(ceiling)}</td>
            <td>{ceiling?.because ?? 'no cell has ended yet'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Whose share it is, named as the verdict names it. */
const GROWTH_WORDS: Readonly<Record<Part, string>> = {
  runner: 'Runner process',
  admission: 'Runner’s own limit',
  queue: 'Model server queue',
  load: 'Model load',
  swap: 'Model swap',
  prefill: 'Prefill',
  neighbourPrefill: 'Neighbours’ prefill',
  decode: 'Decode',
  tools: 'Tools',
  background: 'Background work',
}

/** Shares too small to read are left out; they are in the report. */
const LEAST_SHARE = 0.005
const MOST_PARTS = 4

/** A bound stands behind its number, so without the unit. */
const percentOf = (ratio: number) => formatRatio(ratio).replace(' %', '')

function Growth({ growth }: { growth: NonNullable<Analysis['growth']> }) {
  const parts = [...growth.parts]
    .sort((a, b) => b.share.value - a.share.value)
    .filter((part) => part.share.value >= LEAST_SHARE)
    .slice(0, MOST_PARTS)
  if (parts.length === 0) return null
  return (
    <div className={styles.body}>
      <h3>
        Share of the growth of wall, N = {growth.toN} against N = {growth.fromN}
      </h3>
      <ol className={styles.growth}>
        {parts.map(({ part, share }) => (
          <li key={part} title={PART_WORDS[part].meaning}>
            <span>{GROWTH_WORDS[part]}</span>
            <span>
              <b>{formatRatio(share.value)}</b>
              {percentOf(share.low)} to {percentOf(share.high)}
            </span>
            <i style={{ width: `${Math.max(0, Math.min(100, share.value * 100))}%` }} />
          </li>
        ))}
      </ol>
    </div>
  )
}

const STANCES = {
  for: { sign: CheckGlyph, word: 'For' },
  against: { sign: CrossGlyph, word: 'Against' },
  open: { sign: OpenRingGlyph, word: 'Open' },
}

function EvidenceList({ evidence, state }: { evidence: readonly Evidence[]; state: SweepState }) {
  const ahead = state.status === 'running' ? openCells(state) : []
  const lines = [...evidence, ...ahead.filter((line) => !evidence.some((known) => known.text === line.text))]
  if (lines.length === 0) return null
  return (
    <div className={styles.body}>
      <h3>Evidence</h3>
      <ul className={styles.evidence}>
        {lines.map(({ stance, text }) => {
          const { sign: Sign, word } = STANCES[stance]
          return (
            <li key={`${stance}${text}`} className={stance === 'for' ? styles.for : stance === 'open' ? styles.open : undefined}>
              <Sign size={13} />
              <span>
                <span className="sr">{word}: </span>
                {text}
              </span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** What the cells ahead will tell. */
function openCells(state: SweepState): Evidence[] {
  const first = (matches: (cell: SweepState['cells'][number]['cell']) => boolean) =>
    state.cells.find((cell) => cell.status === 'planned' && matches(cell.cell))?.cell
  const known = new Set(state.cells.filter((cell) => cell.status === 'done' && cell.cell.role === 'measure').map((cell) => cell.cell.n))
  const missing = [
    ...new Set(
      state.cells.filter((cell) => cell.status !== 'done' && cell.cell.role === 'measure' && cell.cell.leg === 'runner').map((cell) => cell.cell.n),
    ),
  ]
    .filter((n) => !known.has(n))
    .sort((a, b) => a - b)
  const open: string[] = []
  if (missing.length > 0) open.push(`N = ${missing.join(', ')}: not measured yet`)
  const direct = first((cell) => cell.leg === 'direct')
  if (direct !== undefined) open.push(`Direct leg, from cell ${direct.index + 1}: the server without Plimsoll`)
  const none = first((cell) => cell.leg === 'null')
  if (none !== undefined) open.push(`Null leg, cell ${none.index + 1}: what Plimsoll itself adds`)
  const closing = first((cell) => cell.role === 'closing')
  if (closing !== undefined) open.push(`N = 1 again for drift, cell ${closing.index + 1}`)
  return open.map((text) => ({ stance: 'open' as const, text }))
}

function WhatMoves({ verdict }: { verdict: Analysis['verdict'] }) {
  if (verdict.wouldMove === null && verdict.wouldNotMove === null) return null
  return (
    <div className={styles.body}>
      {verdict.wouldMove === null ? null : (
        <>
          <h3>Would move it</h3>
          <p>{verdict.wouldMove}</p>
        </>
      )}
      {verdict.wouldNotMove === null ? null : (
        <>
          <h3>Would not</h3>
          <p className="dim">{verdict.wouldNotMove}</p>
        </>
      )}
    </div>
  )
}

function OwnLimits({ state }: { state: SweepState }) {
  return (
    <div className={styles.body}>
      <h3>What Plimsoll measured of itself, at p99</h3>
      <Instrument state={state} />
    </div>
  )
}

function FootNotes({ state, analysis }: { state: SweepState; analysis: Analysis | undefined }) {
  const voids = voidCells(state).map(
    (cell) => `Cell ${cell.cell.index + 1} is void: ${cell.voidReason === null ? 'no reason was given.' : problemText(cell.voidReason)}`,
  )
  const warnings = analysis?.warnings.map((warning) => warning.text) ?? state.warnings.map((warning) => warning.text)
  const notes = [...new Set([...voids, ...warnings])]
  const [first, ...rest] = notes
  if (first === undefined) return null
  if (rest.length === 0) return <p className={styles.foot}>{first}</p>
  return (
    <details className={styles.foot}>
      <summary>
        {first} <span className={styles.more}>And {count(rest.length, 'warning')} more.</span>
      </summary>
      <ul>
        {rest.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  )
}
