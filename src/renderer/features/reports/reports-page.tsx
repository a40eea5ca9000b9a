/** All sweeps: open, export, delete, seek; and files of other tools, picked or dropped, judged on the spot. */
import { type DragEvent, useMemo, useRef, useState } from 'react'
import type { SweepListItem } from '../../../contract/endpoints/sweeps.ts'
import { formatCount } from '../../../core/report/format-number.ts'
import { count } from '../../../core/report/words.ts'
import type { SweepId } from '../../../core/result/ids.ts'
import { type Command, useCommands } from '../../stores/command-store.ts'
import { useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { Button } from '../../ui/button.tsx'
import entry from '../../ui/entry.module.css'
import { Question } from '../../ui/question.tsx'
import { type ComparedPair, ComparisonPage } from './comparison-page.tsx'
import { type FileAnalysis, FileAnalysisPage } from './file-analysis.tsx'
import { isReport, MOST_IMPORT_CHARS, readDropped } from './file-drop.ts'
import { ReportList } from './report-list.tsx'
import { matchingSweeps, verdictText } from './report-rows.ts'
import styles from './reports-page.module.css'

/** A file of ours is taken back among the sweeps; anything else is judged here and stored nowhere. */
function useGivenFiles(): { analysis: FileAnalysis | undefined; close(): void; take(files: readonly File[]): void } {
  const { notices, sweepList, layout } = useStores()
  const [analysis, setAnalysis] = useState<FileAnalysis>()
  const judge = async (files: readonly File[]) => {
    const read = await readDropped(files)
    if (read.files.length === 0 && read.problems.length === 0) return
    const reports = read.files.filter((file) => isReport(file) && file.text.length <= MOST_IMPORT_CHARS)
    let imported: SweepId | undefined
    for (const { name, text } of reports) imported = (await sweepList.importReport(name, text)) ?? imported
    const others = read.files.filter((file) => !reports.includes(file))
    if (others.length === 0 && read.problems.length === 0) {
      if (imported !== undefined) layout.openSweep(imported)
      return
    }
    const { analyseFiles } = await import('../../../core/analysis/tables/analyse-files.ts')
    const judged = analyseFiles(others)
    setAnalysis({ tables: judged.tables, problems: [...read.problems, ...judged.problems] })
  }
  return { analysis, close: () => setAnalysis(undefined), take: (files) => void judge(files).catch(notices.bug) }
}

const isFileDrag = (event: DragEvent) => event.dataTransfer.types.includes('Files')

export function ReportsPage() {
  const { analysis, close, take } = useGivenFiles()
  const [over, setOver] = useState(false)
  const [pair, setPair] = useState<ComparedPair>()
  return (
    <section
      className={`${styles.drop} ${over ? styles.over : ''}`}
      aria-label="Reports"
      onDragOver={(event) => {
        if (!isFileDrag(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => event.currentTarget === event.target && setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take([...event.dataTransfer.files])
      }}
    >
      {analysis !== undefined ? (
        <GivenFiles analysis={analysis} onClose={close} />
      ) : pair !== undefined ? (
        <ComparisonPage pair={pair} onClose={() => setPair(undefined)} />
      ) : (
        <SweepReports onFiles={take} onCompare={setPair} />
      )}
    </section>
  )
}

function GivenFiles({ analysis, onClose }: { analysis: FileAnalysis; onClose(): void }) {
  const { commands } = useStores()
  // biome-ignore lint/correctness/useExhaustiveDependencies: closing only sets state of the page
  const own = useMemo(() => [{ id: 'reports.back', title: 'Back to the list', group: 'Reports', chord: 'escape', run: onClose }], [])
  useCommands(commands, own)
  return <FileAnalysisPage analysis={analysis} onClose={onClose} />
}

/** The first press marks a sweep, the second one holds another against it; the older of the two is what was before. */
function useMark(
  chosen: SweepListItem | undefined,
  onCompare: (pair: ComparedPair) => void,
): { label: string; press(): void; refused: string | undefined } {
  const [marked, setMarked] = useState<SweepListItem>()
  const refused = chosen === undefined ? 'there is none' : stillRuns(chosen)
  if (marked === undefined || chosen === undefined) return { label: 'Mark to compare', refused, press: () => setMarked(chosen) }
  if (marked.sweepId === chosen.sweepId) return { label: `Unmark ${marked.number}`, refused, press: () => setMarked(undefined) }
  const [before, after] = marked.number < chosen.number ? [marked, chosen] : [chosen, marked]
  return { label: `Compare with ${marked.number}`, refused, press: () => onCompare({ before, after }) }
}

type SweepReportsProps = { onFiles(files: readonly File[]): void; onCompare(pair: ComparedPair): void }

function SweepReports({ onFiles, onCompare }: SweepReportsProps) {
  const stores = useStores()
  const list = useStore(stores.sweepList)
  const [sought, setSought] = useState('')
  const [chosenId, setChosenId] = useState<string>()
  const [asking, setAsking] = useState<SweepListItem>()
  const field = useRef<HTMLInputElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const rows = useMemo(() => matchingSweeps(list.items, sought), [list.items, sought])
  const chosen = rows.find((item) => item.sweepId === chosenId) ?? rows[0]
  const mark = useMark(chosen, onCompare)
  const open = (item: SweepListItem | undefined) => item !== undefined && stores.layout.openSweep(item.sweepId)
  useReportCommands({ chosen, ask: setAsking, open, seek: () => field.current?.focus(), pick: () => picker.current?.click(), mark })
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
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            accept=".csv,.tsv,.json,.jsonl,.md,.html"
            aria-label="Files to analyse"
            onChange={(event) => {
              onFiles([...(event.target.files ?? [])])
              event.target.value = ''
            }}
          />
          <Button chord="f" title="Tables and result files of other tools; dropping them here does the same" onClick={() => picker.current?.click()}>
            Analyse files
          </Button>
          <Button chord="c" refused={mark.refused} title="Two sweeps side by side: mark one, then choose the other" onClick={mark.press}>
            {mark.label}
          </Button>
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
        <p className={`l ${styles.empty}`}>
          {list.loaded
            ? 'No reports. A sweep writes one when it ends or is cancelled. Tables and result files of other tools can be dropped here.'
            : 'Reading the list.'}
        </p>
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
  pick(): void
  readonly mark: ReturnType<typeof useMark>
}

function useReportCommands({ chosen, ask, open, seek, pick, mark }: ReportCommandsInput): void {
  const { commands, sweepList } = useStores()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks only set state of the page
  const own = useMemo((): Command[] => {
    const name = chosen === undefined ? 'the sweep' : `sweep ${chosen.number}`
    const refused = chosen === undefined ? 'there is none' : undefined
    return [
      { id: 'reports.seek', title: 'Filter', group: 'Reports', chord: '/', run: seek },
      { id: 'reports.analyse', title: 'Analyse files that others measured', group: 'Reports', chord: 'f', run: pick },
      { id: 'reports.compare', title: mark.label, group: 'Reports', chord: 'c', refused: mark.refused, run: mark.press },
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
  }, [chosen, sweepList, mark.label, mark.refused])
  useCommands(commands, own)
}
