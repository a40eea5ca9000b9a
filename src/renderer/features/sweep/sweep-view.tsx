/** One sweep on the screen: head, plan, chart with its table, wave, verdict. Holds what the person chose to look at. */
import { useCallback, useMemo, useRef, useState } from 'react'
import { leadLeg } from '../../../core/report/report-levels.ts'
import { reportNotices } from '../../../core/report/report-notices.ts'
import type { SweepId } from '../../../core/result/ids.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import type { Leg } from '../../../core/sweep/plan.ts'
import { useStores } from '../../stores/stores.tsx'
import { resumeSweep, startSweep } from '../../stores/sweep-button.ts'
import type { OpenSweep } from '../../stores/sweep-store.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { NoticeBar } from '../../ui/notice-bar.tsx'
import { PageHead, PanelHead } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { CellStrip } from './cell-strip.tsx'
import { chartModel, legsOf, METRICS, type Metric } from './chart-model.ts'
import type { WaveRef } from './lane-model.ts'
import { LatencyChart, missingSamples } from './latency-chart.tsx'
import { LevelTable } from './level-table.tsx'
import { PlanEditor } from './plan-editor.tsx'
import { PlanView } from './plan-view.tsx'
import styles from './sweep-page.module.css'
import { canResume, nowText, paceText } from './sweep-words.ts'
import { useSweepCommands } from './use-sweep-commands.ts'
import { VerdictPanel } from './verdict-panel.tsx'
import { WavePanel } from './wave-panel.tsx'

type SweepViewProps = { sweepId: SweepId; title: string; sweep: OpenSweep; state: SweepState }

export function SweepView({ sweepId, title, sweep, state }: SweepViewProps) {
  const [metric, setMetric] = useState<Metric>('ttfa')
  const [chosenWave, setChosenWave] = useState<WaveRef>()
  const [changing, setChanging] = useState(false)
  const running = state.status === 'running'
  const { plan } = useStores()
  const togglePlan = () => {
    // What is changed is the plan that stands here, not one that was left elsewhere.
    if (!changing) plan.adopt(state.plan.request, sweep.state?.facts?.model ?? title)
    setChanging(!changing)
  }
  useSweepCommands({ sweepId, state, title, chosenCell: chosenWave?.cell, setMetric, togglePlan })
  const editing = changing && !running
  const settled = useSettled(state)
  const chooseCell = useChoice(state, setChosenWave)
  return (
    <>
      <SweepHead title={title} sweepId={sweepId} sweep={sweep} state={state} chosen={chosenWave?.cell} onChoose={chooseCell} />
      <EndNotice sweep={sweep} state={state} />
      <div className={classNames(styles.page, editing && styles.changing)}>
        {editing ? <PlanEditor onClose={togglePlan} /> : <PlanView state={settled} onChange={togglePlan} />}
        <section className={styles.live} aria-label="Live chart" data-region tabIndex={-1}>
          <ChartPart sweep={sweep} state={state} metric={metric} onMetric={setMetric} />
          <WavePanel sweep={sweep} chosen={chosenWave} onChoose={setChosenWave} />
        </section>
        <VerdictPanel sweepId={sweepId} state={settled} analysis={sweep.analysis} chosenCell={chosenWave?.cell} />
      </div>
    </>
  )
}

/** The state as of the last thing that ended or changed its course: what plan and verdict show. Rows alone do not redraw them. */
function useSettled(state: SweepState): SweepState {
  const ended = state.cells.filter((cell) => cell.status === 'done' || cell.status === 'void' || cell.status === 'skipped').length
  const key = `${state.status}/${ended}/${state.cells.length}/${state.warnings.length}/${state.facts === null}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when the state counts as another one
  return useMemo(() => state, [key])
}

/** Stays the same function from redraw to redraw, so that the cells need not be drawn again. */
function useChoice(state: SweepState, choose: (ref: WaveRef | undefined) => void): (cell: number | undefined) => void {
  const latest = useRef(state)
  latest.current = state
  return useCallback((cell) => choose(lastWave(latest.current, cell)), [choose])
}

function lastWave(state: SweepState, cell: number | undefined): WaveRef | undefined {
  const last = cell === undefined ? undefined : state.rows.findLast((row) => row.cell === cell)
  return last === undefined ? undefined : { cell: last.cell, wave: last.wave }
}

type SweepHeadProps = SweepViewProps & { chosen: number | undefined; onChoose(cell: number | undefined): void }

function SweepHead({ title, sweepId, sweep, state, chosen, onChoose }: SweepHeadProps) {
  const stores = useStores()
  return (
    <PageHead title={title} now={nowText(state, sweep.live)} line={paceText(state, sweep.live)}>
      <CellStrip cells={state.cells} chosen={chosen} onChoose={onChoose} />
      {state.status === 'running' ? (
        <Button chord="escape" title="Stops at once and keeps what was measured" onClick={() => void stores.sweepList.cancel(sweepId)}>
          Cancel, keep results
        </Button>
      ) : (
        <>
          {canResume(state) ? (
            <Button chord="u" title="Goes on with the cells that were not measured" onClick={() => void resumeSweep(stores, sweepId)}>
              Resume
            </Button>
          ) : null}
          <Button chord="r" title="Runs the same plan again" onClick={() => void startSweep(stores, state.plan.request)}>
            Repeat
          </Button>
        </>
      )}
    </PageHead>
  )
}

/** What went wrong with the sweep as a whole, across the page. */
function EndNotice({ sweep, state }: { sweep: OpenSweep; state: SweepState }) {
  if (state.status !== 'failed' && state.status !== 'interrupted') return null
  const notice = sweep.analysis === undefined ? undefined : reportNotices(state, sweep.analysis).find((one) => one.code === state.status)
  const [happened, ...rest] = (notice?.text ?? `This sweep ${state.status === 'failed' ? 'failed' : 'was interrupted'}.`).split(/(?<=\.) /)
  return <NoticeBar fails={state.status === 'failed'} happened={happened ?? ''} rest={rest.join(' ')} />
}

type ChartPartProps = { sweep: OpenSweep; state: SweepState; metric: Metric; onMetric(metric: Metric): void }

function ChartPart({ sweep, state, metric, onMetric }: ChartPartProps) {
  const legs = useMemo(() => legsOf(state), [state])
  const [chosenLeg, setLeg] = useState<Leg>()
  const leg = chosenLeg ?? (sweep.analysis === undefined ? undefined : leadLeg(sweep.analysis)) ?? legs[0] ?? 'runner'
  const model = useMemo(() => chartModel(state, sweep.analysis, leg, metric), [state, sweep.analysis, leg, metric])
  return (
    <>
      <div className={styles.chartHead}>
        <PanelHead title="Latency by sessions in flight" note={missingSamples(model)}>
          {legs.length < 2 ? null : (
            <Segmented label="Leg" options={legs.map((one) => ({ value: one, label: one }))} value={leg} onChange={(next: Leg) => setLeg(next)} />
          )}
          <Segmented label="Metric" options={METRICS.map((one) => ({ value: one, label: one }))} value={metric} onChange={onMetric} />
        </PanelHead>
      </div>
      <LatencyChart model={model} />
      <LevelTable model={model} />
      <CeilingNote model={model} />
    </>
  )
}

function CeilingNote({ model }: { model: ReturnType<typeof chartModel> }) {
  if (model.loadLine.kind === 'not-reached')
    return (
      <p className={styles.note}>
        Nothing tested broke it. To find the line, add levels: {model.loadLine.n * 2} and {model.loadLine.n * 4}.
      </p>
    )
  if (model.loadLine.kind === 'none-holds')
    return <p className={styles.note}>Not even the first level holds. No limit on sessions helps; a shorter prompt or a faster engine would.</p>
  return null
}
