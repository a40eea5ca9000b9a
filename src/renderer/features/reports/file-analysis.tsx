/** What others measured, judged: one block a table, verdict first, then what the table says, what it lacks, and how it was understood. */
import type { AnalysedTable } from '../../../core/analysis/tables/analysed-table.ts'
import { CONFIDENCES, count, VERDICT_WORDS } from '../../../core/report/words.ts'
import { type Problem, problemText } from '../../../core/result/problem.ts'
import { Button } from '../../ui/button.tsx'
import { CheckGlyph, CrossGlyph, OpenRingGlyph } from '../../ui/glyphs.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PageHead } from '../../ui/panel.tsx'
import styles from './file-analysis.module.css'

export type FileAnalysis = { readonly tables: readonly AnalysedTable[]; readonly problems: readonly Problem[] }

export function FileAnalysisPage({ analysis, onClose }: { analysis: FileAnalysis; onClose(): void }) {
  const { tables, problems } = analysis
  return (
    <>
      <PageHead title="Reports" now="what others measured" line={`${count(tables.length, 'table')} read, nothing stored, nothing sent`}>
        <Button chord="escape" onClick={onClose}>
          Back to the list
        </Button>
      </PageHead>
      <div className={styles.page} data-region tabIndex={-1}>
        {problems.map((one) => (
          <p key={`${one.code}${one.happened}`} role="alert" className={styles.problem}>
            {problemText(one)}
          </p>
        ))}
        {tables.map((table, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be given twice, and the list never changes
          <TableAnalysis key={i} table={table} />
        ))}
      </div>
    </>
  )
}

const STANCES = { for: CheckGlyph, against: CrossGlyph, open: OpenRingGlyph } as const

function TableAnalysis({ table }: { table: AnalysedTable }) {
  const { verdict } = table
  const sure = CONFIDENCES.find((step) => step.code === verdict.confidence)?.label ?? verdict.confidence
  return (
    <article className={styles.table} aria-label={table.source}>
      <header>
        <h2>{table.source}</h2>
        <span className="s dim">{table.format}</span>
      </header>
      <p className="l">{verdict.sentence}</p>
      <p className={styles.facts}>
        <span>
          <span className="strong">{VERDICT_WORDS[verdict.primary]}</span>, {sure}
          {verdict.secondary === null ? null : `; behind it ${VERDICT_WORDS[verdict.secondary]}`}
        </span>
        <span>
          <Mark className={styles.mark} size={14} /> {table.ceilingN === null ? 'ceiling not reached or not to be told' : `ceiling ${table.ceilingN}`}
          {table.highestTestedN === null ? null : <span className="dim">, highest tested {table.highestTestedN}</span>}
        </span>
        {verdict.effectiveSlots === null ? null : <span>{count(verdict.effectiveSlots, 'effective slot')}</span>}
        {verdict.mechanism === null ? null : <span className="dim">{verdict.mechanism}</span>}
      </p>
      {table.published.map((one) => (
        <p key={one.by} className={styles.published}>
          <span className="strong">{one.by} itself says:</span> {one.text}
        </p>
      ))}
      <div className={styles.columns}>
        <Sentences title="What the table says" texts={table.claims} />
        <div>
          <section>
            <h3>Evidence</h3>
            <ul className={styles.evidence}>
              {verdict.evidence.map(({ stance, text }) => {
                const Sign = STANCES[stance]
                return (
                  <li key={`${stance}${text}`}>
                    <Sign size={13} />
                    <span>
                      <span className="sr">{stance}: </span>
                      {text}
                    </span>
                  </li>
                )
              })}
            </ul>
          </section>
          <Sentences title="Would settle more" texts={table.missing} />
          <Sentences title="Odd in the table itself" texts={table.doubts} />
          <Sentences title="Left aside" texts={table.ignored.map(({ what, why }) => `${what}: ${why}`)} />
        </div>
      </div>
      <Rows rows={table.rows} />
    </article>
  )
}

function Sentences({ title, texts }: { title: string; texts: readonly string[] }) {
  const unique = [...new Set(texts)]
  if (unique.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ul className={styles.sentences}>
        {unique.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  )
}

/** Enough to see that it was read right; the file has the rest. */
const MOST_ROWS = 40

function Rows({ rows }: { rows: AnalysedTable['rows'] }) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  if (rows.length === 0 || columns.length === 0) return null
  const shown = rows.slice(0, MOST_ROWS)
  return (
    <section className={styles.rows}>
      <h3>As understood{rows.length > shown.length ? `, the first ${shown.length} of ${rows.length} rows` : ''}</h3>
      <div>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows may be alike, and never move
              <tr key={i}>
                {columns.map((column) => (
                  <td key={column}>{cellText(row[column])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function cellText(value: number | string | undefined): string {
  if (value === undefined) return '–'
  if (typeof value === 'string') return value
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)))
}
