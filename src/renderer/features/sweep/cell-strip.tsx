/** All cells in the order of running. Choosing one shows its wave below. */
import { memo, useEffect, useRef } from 'react'
import type { CellState } from '../../../core/sweep/fold-sweep.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './cell-strip.module.css'
import { cellLabel, cellTitle } from './sweep-words.ts'

type CellStripProps = { cells: readonly CellState[]; chosen: number | undefined; onChoose(cell: number | undefined): void }

const SIGNS = { planned: styles.todo, running: styles.now, done: styles.done, void: styles.void, skipped: styles.void }

/** How far a running cell has come, as the fill of its box. */
function fill({ cell, status, wavesStarted }: CellState): string | undefined {
  if (status !== 'running') return undefined
  const percent = Math.round((Math.max(0, wavesStarted - 1) / cell.waves) * 100)
  return `linear-gradient(90deg, var(--surface-3) ${percent}%, transparent 0)`
}

export function CellStrip({ cells, chosen, onChoose }: CellStripProps) {
  const list = useRef<HTMLOListElement>(null)
  const running = cells.findIndex((cell) => cell.status === 'running')
  useEffect(() => {
    const item = list.current?.children[running]
    if (item instanceof HTMLElement && list.current !== null) list.current.scrollLeft = item.offsetLeft - list.current.clientWidth / 2
  }, [running])
  return (
    <ol ref={list} className={styles.cells} aria-label="Cells in the order of running">
      {cells.map((cell) => (
        <CellBox key={cell.cell.index} cell={cell} chosen={chosen === cell.cell.index} onChoose={onChoose} />
      ))}
    </ol>
  )
}

type CellBoxProps = { cell: CellState; chosen: boolean; onChoose(cell: number | undefined): void }

const CellBox = memo(function CellBox({ cell, chosen, onChoose }: CellBoxProps) {
  const { index } = cell.cell
  const shows = cell.wavesStarted > 0
  return (
    <li>
      <button
        type="button"
        className={classNames(styles.cell, SIGNS[cell.status], chosen && styles.chosen)}
        style={{ background: fill(cell) }}
        title={cellTitle(cell)}
        aria-label={cellTitle(cell)}
        aria-pressed={chosen}
        aria-disabled={!shows || undefined}
        onClick={() => shows && onChoose(chosen ? undefined : index)}
      >
        {cellLabel(cell.cell)}
      </button>
    </li>
  )
})
