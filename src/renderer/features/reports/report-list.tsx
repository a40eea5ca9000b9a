/** The list of sweeps: keys to walk it, only the rows in sight are drawn. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useRef } from 'react'
import type { SweepListItem } from '../../../contract/endpoints/sweeps.ts'
import { formatDuration } from '../../../core/report/format-number.ts'
import { Mark } from '../../ui/mark.tsx'
import { dateText, sureText, verdictText } from './report-rows.ts'
import styles from './reports-page.module.css'

const ROW_PX = 24

type ReportListProps = {
  rows: readonly SweepListItem[]
  chosen: SweepListItem | undefined
  onChoose(item: SweepListItem): void
  onOpen(item: SweepListItem): void
}

export function ReportList({ rows, chosen, onChoose, onOpen }: ReportListProps) {
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    initialRect: { width: 1000, height: 600 },
  })
  const index = rows.findIndex((item) => item.sweepId === chosen?.sweepId)
  const keys = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: index + 20,
      PageUp: index - 20,
    }
    const to = moves[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(rows.length - 1, to))
    virtual.scrollToIndex(next)
    const item = rows[next]
    if (item !== undefined) onChoose(item)
  }
  return (
    <>
      <div className={styles.columns} aria-hidden="true">
        <span className={styles.n}>no.</span>
        <span>verdict</span>
        <span className={styles.n}>
          <Mark size={12} className={styles.mark} />
          load line
        </span>
        <span>sure</span>
        <span>target</span>
        <span className={styles.n}>date</span>
        <span className={`${styles.n} ${styles.wide}`}>took</span>
      </div>
      {rows.length === 0 ? <p className={styles.empty}>No sweep matches what is sought.</p> : null}
      <div
        ref={box}
        className={styles.list}
        role="listbox"
        data-page-keys
        aria-label="Sweeps, latest first"
        aria-activedescendant={chosen === undefined ? undefined : `report-${chosen.sweepId}`}
        tabIndex={0}
        onKeyDown={keys}
      >
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index: at, start }) => {
            const item = rows[at]
            return item === undefined ? null : (
              <ReportRow
                key={item.sweepId}
                item={item}
                top={start}
                chosen={at === index}
                onChoose={() => onChoose(item)}
                onOpen={() => onOpen(item)}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

type ReportRowProps = { item: SweepListItem; top: number; chosen: boolean; onChoose(): void; onOpen(): void }

function ReportRow({ item, top, chosen, onChoose, onOpen }: ReportRowProps) {
  const sentence = verdictText(item)
  const invalid = item.verdict?.primary === 'invalid_measurement'
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list around it has the focus
    <div
      id={`report-${item.sweepId}`}
      role="option"
      aria-selected={chosen}
      className={`${styles.row} ${invalid ? styles.quiet : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onChoose}
      onDoubleClick={onOpen}
    >
      <span className={styles.n}>{item.number}</span>
      <span title={sentence} className={chosen ? 'strong' : undefined}>
        {item.simulated ? <span className={styles.sim}>simulated</span> : null}
        {sentence}
      </span>
      <span className={styles.n}>{item.ceiling}</span>
      <span className="dim">{sureText(item)}</span>
      <span title={item.targetLabel}>{item.targetLabel}</span>
      <span className={styles.n}>{dateText(item.startedEpochMs, Date.now())}</span>
      <span className={`${styles.n} ${styles.wide}`}>{formatDuration(item.durationMs)}</span>
    </div>
  )
}
