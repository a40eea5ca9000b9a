/** What speaks for the verdict, against it, and what is still open; what was changed on purpose, and what followed. */
import type { Evidence, Intervention } from '../../../core/analysis/analysis.ts'
import { INTERVENTION_WORDS } from '../../../core/report/words.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { CheckGlyph, CrossGlyph, OpenRingGlyph } from '../../ui/glyphs.tsx'
import styles from './verdict-panel.module.css'

const STANCES = {
  for: { sign: CheckGlyph, word: 'For' },
  against: { sign: CrossGlyph, word: 'Against' },
  open: { sign: OpenRingGlyph, word: 'Open' },
}

export function Interventions({ interventions }: { interventions: readonly Intervention[] }) {
  if (interventions.length === 0) return null
  return (
    <div className={styles.body}>
      <h3>Changed on purpose</h3>
      <ul className={styles.evidence}>
        {interventions.map(({ kind, agrees, text }) => {
          const { sign: Sign, word } = STANCES[agrees === null ? 'open' : agrees ? 'for' : 'against']
          return (
            <li key={`${kind}${text}`} className={agrees === true ? styles.for : agrees === null ? styles.open : undefined}>
              <Sign size={13} />
              <span>
                <span className="sr">{word}: </span>
                <span className="dim">{INTERVENTION_WORDS[kind]}:</span> {text}
              </span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

export function EvidenceList({ evidence, state }: { evidence: readonly Evidence[]; state: SweepState }) {
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
