/** All sweeps as a list: open, export, delete, seek. Only the rows in sight are drawn. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { SweepListItem } from '../../../contract/endpoints/sweeps.ts'
import { formatCount, formatDuration } from '../../../core/report/format-number.ts'
import { count } from '../../../core/report/words.ts'
import { type Command, useCommands } from '../../stores/command-store.ts'
import { useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { Button } from '../../ui/button.tsx'
import entry from '../../ui/entry.module.css'
import { Mark } from '../../ui/mark.tsx'
import { Question } from '../../ui/question.tsx'
import { dateText, matchingSweeps, sureText, verdictText } from './report-rows.ts'
import styles from './reports-page.module.css'

const ROW_PX = 24

export function ReportsPage() {
  const stores = useStores()
  const list = useStore(stores.sweepList)
  const [sought, setSought] = useState('')
  const [chosenId, setChosenId] = useState<string>()
  const [asking, setAsking] = useState<SweepListItem>()
  const field = useRef<HTMLInputElement>(null)
  const rows = useMemo(() => matchingSweeps(list.items, sought), [list.items, sought])
  const chosen = rows.find((item) => item.sweepId === chosenId) ?? rows[0]
  const open = (item: SweepListItem | undefined) => item !== undefined && stores.layout.openSweep(item.sweepId)
  useReportCommands({ chosen, ask: setAsking, open, seek: () => field.current?.focus() })
  const answer = (act: boolean) => {
    if (act && asking !== undefined) void stores.sweepList.remove(asking.sweepId)
    setAsking(undefined)
  }
  const none = chosen === undefined ? 'there is none' : undefined
  return (
    <>
      <header className={styles.head}>
        <h1>Reports</h1>
        <span className="dim">{count(list.items.length, 'sweep')}</span>
        <div>
          <input
            ref={field}
            className={`${entry.entry} ${styles.filter}`}
            type="search"
            placeholder="Server, model, verdict  /"
            aria-label="Seek in the sweeps"
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
          <Button chord="enter" refused={none} onClick={() => open(chosen)}>
            Open
          </Button>
          <Button chord="x" refused={none} onClick={() => chosen !== undefined && void stores.sweepList.exportReport(chosen.sweepId)}>
            Export
          </Button>
          <Button chord="delete" refused={none ?? stillRuns(chosen)} onClick={() => setAsking(chosen)}>
            Delete
          </Button>
        </div>
      </header>
      {list.items.length === 0 ? (
        <p className={`l ${styles.empty}`}>{list.loaded ? 'No reports. A sweep writes one when it ends or is cancelled.' : 'Reading the list.'}</p>
      ) : (
        <ReportList rows={rows} chosen={chosen} onChoose={(item) => setChosenId(item.sweepId)} onOpen={open} />
      )}
      <Question
        open={asking !== undefined}
        title={`Delete sweep ${asking?.number ?? ''}?`}
        keep="Keep it"
        act={`Delete it and its ${formatCount(asking?.sessions ?? 0)} sessions`}
        onAnswer={answer}
      >
        <p>{asking === undefined ? '' : verdictText(asking)}</p>
        <p>What was measured goes with it and can’t be brought back. Reports that were exported stay where they are.</p>
      </Question>
    </>
  )
}

const stillRuns = (item: SweepListItem | undefined) => (item?.status === 'running' ? 'it still runs; cancel it first' : undefined)

type ReportCommandsInput = {
  chosen: SweepListItem | undefined
  ask(item: SweepListItem | undefined): void
  open(item: SweepListItem | undefined): void
  seek(): void
}

function useReportCommands({ chosen, ask, open, seek }: ReportCommandsInput): void {
  const { commands, sweepList } = useStores()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks only set state of the page
  const own = useMemo((): Command[] => {
    const name = chosen === undefined ? 'the sweep' : `sweep ${chosen.number}`
    const refused = chosen === undefined ? 'there is none' : undefined
    return [
      { id: 'reports.seek', title: 'Filter', group: 'Reports', chord: '/', run: seek },
      { id: 'reports.open', title: `Open ${name}`, group: 'Reports', chord: 'enter', refused, run: () => open(chosen) },
      {
        id: 'reports.export',
        title: `Export ${name}`,
        group: 'Reports',
        chord: 'x',
        refused,
        run: () => chosen !== undefined && void sweepList.exportReport(chosen.sweepId),
      },
      {
        id: 'reports.delete',
        title: `Delete ${name}`,
        group: 'Reports',
        chord: 'delete',
        refused: refused ?? stillRuns(chosen),
        run: () => ask(chosen),
      },
    ]
  }, [chosen, sweepList])
  useCommands(commands, own)
}

type ReportListProps = {
  rows: readonly SweepListItem[]
  chosen: SweepListItem | undefined
  onChoose(item: SweepListItem): void
  onOpen(item: SweepListItem): void
}

function ReportList({ rows, chosen, onChoose, onOpen }: ReportListProps) {
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
