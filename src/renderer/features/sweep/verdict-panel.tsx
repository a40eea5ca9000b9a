/** The verdict as it firms up: sentence, confidence, ceilings, shares of the growth, evidence, and what to do with it. */
import { memo } from 'react'
import type { Analysis, Ceiling } from '../../../core/analysis/analysis.ts'
import { formatCount } from '../../../core/report/format-number.ts'
import { ceilingText, isSimulated, sweepNumbers, voidCells } from '../../../core/report/report-levels.ts'
import { CONFIDENCES, count, VERDICT_WORDS } from '../../../core/report/words.ts'
import type { SweepId } from '../../../core/result/ids.ts'
import { problemText } from '../../../core/result/problem.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { classNames } from '../../ui/class-names.ts'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel.tsx'
import { Candidates, Growth } from './cause-shares.tsx'
import { sloCeiling } from './chart-model.ts'
import { EvidenceList, Interventions } from './evidence-list.tsx'
import { Instrument } from './instrument.tsx'
import { VerdictActions } from './verdict-actions.tsx'
import styles from './verdict-panel.module.css'

type VerdictPanelProps = { sweepId: SweepId; state: SweepState; analysis: Analysis | undefined; chosenCell: number | undefined }

export const VerdictPanel = memo(function VerdictPanel({ sweepId, state, analysis, chosenCell }: VerdictPanelProps) {
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
          {analysis === undefined ? null : <Mechanism verdict={analysis.verdict} />}
          {invalid ? null : <Confidence at={analysis?.verdict.confidence ?? 'cannot-tell'} />}
          {analysis?.verdict.toSettle == null ? null : (
            <p className={`s dim ${styles.note}`}>
              <span className="strong">To settle it:</span> {analysis.verdict.toSettle}
            </p>
          )}
        </div>
        {analysis === undefined || !isOpen(state, analysis) ? null : <Candidates candidates={analysis.candidates} />}
        {invalid ? <OwnLimits state={state} /> : null}
        <div className={classNames(styles.body, invalid && 'dim')}>
          <h3>{invalid ? 'Measured, but not to be trusted' : 'Ceilings'}</h3>
          <Ceilings state={state} analysis={analysis} />
        </div>
        {analysis?.growth == null || invalid ? null : <Growth growth={analysis.growth} />}
        <Interventions interventions={analysis?.interventions ?? []} />
        <EvidenceList evidence={analysis?.verdict.evidence ?? []} state={state} />
        {analysis === undefined ? null : <WhatMoves verdict={analysis.verdict} />}
      </div>
      {state.status === 'running' ? null : <VerdictActions sweepId={sweepId} state={state} analysis={analysis} chosenCell={chosenCell} />}
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

/** How it comes about, and what gives way behind it. */
function Mechanism({ verdict }: { verdict: Analysis['verdict'] }) {
  const { mechanism, secondary } = verdict
  if (mechanism === null && secondary === null) return null
  return (
    <p className={`s dim ${styles.note}`}>
      {mechanism === null ? null : (
        <>
          <span className="strong">How:</span> {mechanism}.{' '}
        </>
      )}
      {secondary === null ? null : (
        <>
          <span className="strong">Behind it:</span> {VERDICT_WORDS[secondary]}.
        </>
      )}
    </p>
  )
}

/** Causes are weighed in sight as long as none is named for good. */
const isOpen = (state: SweepState, { verdict, candidates }: Analysis) =>
  candidates.length > 0 && (state.status === 'running' || verdict.confidence === 'cannot-tell' || verdict.confidence === 'suspected')

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
