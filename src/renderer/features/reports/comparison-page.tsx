/** Two sweeps side by side: what changed for better or worse, beyond noise; what differs between the two, and may explain it. */
import { useEffect, useMemo, useState } from 'react'
import type { ComparedFigure, Comparison, Difference, Outcome } from '../../../core/compare/comparison.ts'
import { formatMs } from '../../../core/report/format-number.ts'
import type { SweepId } from '../../../core/result/ids.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { useCommands } from '../../stores/command-store.ts'
import { useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { PageHead } from '../../ui/panel.tsx'
import styles from './comparison-page.module.css'

export type ComparedPair = {
  readonly before: { readonly sweepId: SweepId; readonly number: number }
  readonly after: { readonly sweepId: SweepId; readonly number: number }
}

export function ComparisonPage({ pair, onClose }: { pair: ComparedPair; onClose(): void }) {
  const { commands } = useStores()
  const comparison = useComparison(pair)
  // biome-ignore lint/correctness/useExhaustiveDependencies: closing only sets state of the page
  const own = useMemo(() => [{ id: 'reports.back', title: 'Back to the list', group: 'Reports', chord: 'escape', run: onClose }], [])
  useCommands(commands, own)
  return (
    <>
      <PageHead
        title={`Sweep ${pair.after.number} against ${pair.before.number}`}
        now="what changed"
        line="equivalence of each figure, by waves drawn anew"
      >
        <Button chord="escape" onClick={onClose}>
          Back to the list
        </Button>
      </PageHead>
      <div className={styles.page} data-region tabIndex={-1}>
        {comparison === undefined ? <p className={styles.wait}>Reading both sweeps.</p> : <ComparisonView comparison={comparison} pair={pair} />}
      </div>
    </>
  )
}

function useComparison({ before, after }: ComparedPair): Comparison | undefined {
  const { openSweeps, notices } = useStores()
  const a = useStore(useMemo(() => openSweeps.get(before.sweepId), [openSweeps, before.sweepId])).state
  const b = useStore(useMemo(() => openSweeps.get(after.sweepId), [openSweeps, after.sweepId])).state
  const [comparison, setComparison] = useState<Comparison>()
  useEffect(() => {
    if (a === undefined || b === undefined) return
    let wanted = true
    compare(a, b).then((made) => wanted && setComparison(made), notices.bug)
    return () => {
      wanted = false
    }
  }, [a, b, notices])
  return comparison
}

async function compare(before: SweepState, after: SweepState): Promise<Comparison> {
  const { compareSweeps } = await import('../../../core/compare/compare-sweeps.ts')
  return compareSweeps(before, after)
}

function ComparisonView({ comparison, pair }: { comparison: Comparison; pair: ComparedPair }) {
  const { sentence, figures, ceilings, differences, shapeDiffers, unmatched, slots } = comparison
  return (
    <div className={styles.body}>
      <p className="l" aria-live="polite">
        {sentence}
      </p>
      {shapeDiffers.length === 0 ? null : <Differences title="Different loads" rows={shapeDiffers} pair={pair} />}
      {figures.length === 0 ? null : <Figures figures={figures} pair={pair} />}
      <section>
        <h3>Ceilings and slots</h3>
        <table>
          <thead>
            <Head first="" pair={pair} rest={['']} />
          </thead>
          <tbody>
            {ceilings.map(({ kind, before, after, outcome }) => (
              <tr key={kind}>
                <th scope="row">{kind === 'slo' ? 'SLO ceiling' : `${kind} ceiling`}</th>
                <td>{before}</td>
                <td>{after}</td>
                <td className={outcomeClass(outcome)}>{OUTCOME_WORDS[outcome]}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">answers at once</th>
              <td>{slots.before ?? '–'}</td>
              <td>{slots.after ?? '–'}</td>
              <td />
            </tr>
          </tbody>
        </table>
      </section>
      <Differences title="What else differs, and may explain it" rows={differences} pair={pair} />
      {unmatched.length === 0 ? null : (
        <section>
          <h3>Not compared</h3>
          {unmatched.map((text) => (
            <p key={text} className="dim">
              {text}
            </p>
          ))}
        </section>
      )}
    </div>
  )
}

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = { equivalent: 'the same', better: 'better', worse: 'worse', 'cannot-tell': 'can’t tell' }
const outcomeClass = (outcome: Outcome) => classNames(outcome === 'worse' && styles.worse, outcome === 'cannot-tell' && 'dim')

const METRIC_NAMES: Readonly<Record<ComparedFigure['metric'], string>> = {
  'ttfa-p50': 'ttfa p50',
  'ttfa-p95': 'ttfa p95',
  'wall-p50': 'wall p50',
  'wall-p95': 'wall p95',
  'wall-mean': 'wall, mean',
  'tokens-per-sec': 'tokens/s in all',
  failures: 'failed',
}

function figureText(metric: ComparedFigure['metric'], value: number): string {
  if (metric === 'failures') return `${(value * 100).toFixed(1)} %`
  return metric === 'tokens-per-sec' ? value.toFixed(1) : formatMs(value)
}

function changeText({ metric, change }: ComparedFigure): string {
  if (metric === 'failures') return `${(100 * change.value).toFixed(1)} points`
  const percent = (ratio: number) => `${ratio >= 1 ? '+' : '−'}${Math.abs(Math.round((ratio - 1) * 100))} %`
  return `${percent(change.value)} (${percent(change.low)} to ${percent(change.high)})`
}

function Head({ first, pair, rest }: { first: string; pair: ComparedPair; rest: readonly string[] }) {
  return (
    <tr>
      <th scope="col">{first}</th>
      <th scope="col">sweep {pair.before.number}</th>
      <th scope="col">sweep {pair.after.number}</th>
      {rest.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  )
}

function Figures({ figures, pair }: { figures: readonly ComparedFigure[]; pair: ComparedPair }) {
  return (
    <section>
      <h3>Figures, a change of less than a tenth counts as none</h3>
      <table>
        <thead>
          <Head first="" pair={pair} rest={['change, 95 %', '']} />
        </thead>
        <tbody>
          {figures.map((figure) => (
            <tr key={`${figure.leg}${figure.n}${figure.metric}`}>
              <th scope="row">
                N = {figure.n} <span className="dim">{figure.leg === 'runner' ? '' : `${figure.leg} `}</span>
                {METRIC_NAMES[figure.metric]}
              </th>
              <td>{figureText(figure.metric, figure.before)}</td>
              <td>{figureText(figure.metric, figure.after)}</td>
              <td>{changeText(figure)}</td>
              <td className={outcomeClass(figure.outcome)}>{OUTCOME_WORDS[figure.outcome]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Differences({ title, rows, pair }: { title: string; rows: readonly Difference[]; pair: ComparedPair }) {
  return (
    <section>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p className="dim">Nothing: same server, model, settings and machine, as far as they tell.</p>
      ) : (
        <table>
          <thead>
            <Head first="" pair={pair} rest={[]} />
          </thead>
          <tbody>
            {rows.map(({ what, before, after }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{before}</td>
                <td>{after}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
