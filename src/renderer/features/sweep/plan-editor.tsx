/** The plan of the next sweep, to be changed. Filled in from the start; every change says at once what it would take. */
import type { ReactNode } from 'react'
import { formatCount, formatDuration } from '../../../core/report/format-number.ts'
import { problemText } from '../../../core/result/problem.ts'
import { findsLevels, modeOf, repeatsOf } from '../../../core/sweep/modes.ts'
import type { Load, SweepRequest, WorkloadKind } from '../../../core/sweep/plan.ts'
import { DEFAULT_SLO, DEFAULT_WORKLOAD } from '../../../core/sweep/plan-sweep.ts'
import { workloadDefaults } from '../../../core/sweep/workloads.ts'
import { FIRST_OWN_LEVELS, MODE_LIST, MODE_TEXTS, type Plan } from '../../stores/plan-store.ts'
import { useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { Choices, Tick } from '../../ui/choices.tsx'
import { NumberEntry } from '../../ui/number-entry.tsx'
import { PanelHead } from '../../ui/panel.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Stepper } from '../../ui/stepper.tsx'
import { LevelChips } from './level-chips.tsx'
import styles from './plan-panel.module.css'
import { placeOfTarget } from './sweep-words.ts'
import { TargetPicker } from './target-picker.tsx'

const within = (low: number, high: number, unit: string) => (value: number) =>
  value < low || value > high ? `Expected a number from ${formatCount(low)} to ${formatCount(high)}${unit === '' ? '' : ` ${unit}`}.` : undefined

const wholeWithin = (low: number, high: number, unit: string) => (value: number) =>
  Number.isInteger(value) ? within(low, high, unit)(value) : 'Expected a whole number.'

const positive = (value: number) => (value <= 0 ? 'Expected a number above 0.' : value > 600 ? 'Expected at most 600 s.' : undefined)

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <span>{name}</span>
      <span>{children}</span>
    </div>
  )
}

export function PlanEditor({ onClose }: { onClose?: () => void }) {
  const stores = useStores()
  const plan = useStore(stores.plan)
  const { request } = plan
  return (
    <aside className={styles.panel} aria-label="Plan" data-region tabIndex={-1}>
      <div className={styles.head}>
        <PanelHead title={onClose === undefined ? 'Plan' : 'Next plan'}>
          {plan.edited ? (
            <button type="button" className={`s ${styles.resetter}`} onClick={stores.plan.reset}>
              edited, reset <kbd>Z</kbd>
            </button>
          ) : null}
          {onClose === undefined ? null : (
            <button type="button" className={`s ${styles.resetter}`} onClick={onClose}>
              Back <kbd>P</kbd>
            </button>
          )}
        </PanelHead>
      </div>
      <div className={styles.scroll}>
        <TargetSection plan={plan} />
        {request === null ? null : (
          <>
            <LevelsSection request={request} plan={plan} />
            <SloSection request={request} />
            <ModeSection request={request} plan={plan} />
            <WorkloadSection request={request} />
          </>
        )}
      </div>
    </aside>
  )
}

function TargetSection({ plan }: { plan: Plan }) {
  const { discovery } = useStores()
  const { status, problem } = useStore(discovery)
  const target = plan.request?.target
  return (
    <section>
      <h3>Target</h3>
      <TargetPicker target={target} />
      {target === undefined ? (
        <p className={styles.note}>
          {status === 'looking' ? 'Looking for model servers …' : problem === null ? 'Nothing was found.' : problemText(problem)}
        </p>
      ) : (
        <p className={styles.note}>{placeOfTarget(target)}</p>
      )}
      {plan.problem === null ? null : (
        <p className={styles.why} role="alert">
          {problemText(plan.problem)}
        </p>
      )}
    </section>
  )
}

const costText = (costUsd: number | null) => (costUsd === null ? 'none, local' : `about $${costUsd.toFixed(2)}`)

const LEVEL_WAYS = [
  { value: 'found', label: 'found by the sweep' },
  { value: 'own', label: 'own' },
] as const

function LevelsSection({ request, plan }: { request: SweepRequest; plan: Plan }) {
  const { plan: store } = useStores()
  return (
    <section>
      <h3>Levels</h3>
      <Segmented
        wide
        label="Levels"
        options={LEVEL_WAYS}
        value={findsLevels(request) ? 'found' : 'own'}
        onChange={(way) => store.setLevels(way === 'own' ? FIRST_OWN_LEVELS : [])}
      />
      {findsLevels(request) ? (
        <p className={styles.note}>1, 2, 4, 8 and on until something gives way, then between, until the ceiling is known.</p>
      ) : (
        <div style={{ marginTop: 6 }}>
          <LevelChips levels={request.levels} onChange={store.setLevels} />
        </div>
      )}
      <div style={{ marginTop: 6 }}>
        <Row name="Repeats">
          {findsLevels(request) ? (
            repeatsOf(request)
          ) : (
            <Stepper label="Repeats" value={repeatsOf(request)} min={1} max={100} onChange={store.setRepeats} />
          )}
        </Row>
        <Row name="Cells, sessions">{plan.estimate === null ? '–' : `${plan.estimate.cells}, ${formatCount(plan.estimate.sessions)}`}</Row>
        <Row name="Estimate">{plan.estimate === null ? '–' : `about ${formatDuration(plan.estimate.seconds * 1000)}`}</Row>
        <Row name="Cost">{costText(plan.estimate?.costUsd ?? null)}</Row>
      </div>
    </section>
  )
}

function SloSection({ request }: { request: SweepRequest }) {
  const { plan: store } = useStores()
  const slo = { ...DEFAULT_SLO, ...request.slo }
  return (
    <section>
      <h3>Holds when</h3>
      <Row name="ttfa within">
        <NumberEntry
          label="ttfa within, seconds"
          unit="s"
          value={slo.ttfaMs / 1000}
          check={positive}
          onChange={(s) => store.changeSlo({ ttfaMs: s * 1000 })}
        />
      </Row>
      <Row name="for at least">
        <NumberEntry
          label="Share of sessions that must hold, percent"
          unit="%"
          value={Math.round(slo.targetRatio * 1000) / 10}
          check={within(1, 100, '%')}
          onChange={(percent) => store.changeSlo({ targetRatio: percent / 100 })}
        />
      </Row>
      <Row name="errors under">
        <NumberEntry
          label="Error rate that is accepted, percent"
          unit="%"
          value={Math.round(slo.maxErrorRatio * 1000) / 10}
          check={within(0, 100, '%')}
          onChange={(percent) => store.changeSlo({ maxErrorRatio: percent / 100 })}
        />
      </Row>
    </section>
  )
}

function ModeSection({ request, plan }: { request: SweepRequest; plan: Plan }) {
  const { plan: store } = useStores()
  const choices = MODE_LIST.map((mode) => {
    const estimate = plan.modeEstimates[mode]
    return { value: mode, name: mode, text: MODE_TEXTS[mode], ...(estimate === undefined ? {} : { end: formatDuration(estimate.seconds * 1000) }) }
  })
  const pick = (value: string) => {
    const mode = MODE_LIST.find((candidate) => candidate === value)
    if (mode !== undefined) store.setMode(mode)
  }
  return (
    <section>
      <h3>Mode</h3>
      <Choices label="Mode" choices={choices} value={modeOf(request) ?? ''} onChange={pick} />
      <LegTicks request={request} />
    </section>
  )
}

const LEGS = ['runner', 'direct', 'null'] as const

function LegTicks({ request }: { request: SweepRequest }) {
  const { plan: store } = useStores()
  return (
    <Row name="Legs">
      {LEGS.map((leg) => (
        <Tick
          key={leg}
          label={leg}
          checked={request.legs.includes(leg)}
          onChange={(on) => {
            const legs = LEGS.filter((one) => (one === leg ? on : request.legs.includes(one)))
            if (legs.length > 0) store.change({ legs })
          }}
        />
      ))}
    </Row>
  )
}

const KINDS: readonly { value: WorkloadKind; name: string }[] = [
  { value: 'short-chat', name: 'short chat' },
  { value: 'long-context', name: 'long context' },
  { value: 'agent', name: 'agent with tools' },
  { value: 'mixed', name: 'mixed' },
  { value: 'file', name: 'own prompts' },
  { value: 'replay', name: 'a recorded chat' },
]
/** Their prompts come from a file or a chat, which the command line gives. */
const GIVEN_KINDS: readonly WorkloadKind[] = ['file', 'replay']

const ARRIVALS = [
  { value: 'burst', name: 'in bursts' },
  { value: 'sustained', name: 'one after the other, for 10 s' },
  { value: 'open', name: 'at random, 1 to 8 a second' },
] as const

/** Spans and rates of one's own are the command line's. */
const LOADS: Readonly<Record<(typeof ARRIVALS)[number]['value'], Load>> = {
  burst: { kind: 'burst' },
  sustained: { kind: 'sustained', spanMs: 10_000 },
  open: { kind: 'open', spanMs: 10_000, ratesPerSec: [1, 2, 4, 8] },
}

function WorkloadSection({ request }: { request: SweepRequest }) {
  const { plan: store } = useStores()
  const workload = { ...DEFAULT_WORKLOAD, ...workloadDefaults(request.workload.kind), ...request.workload }
  return (
    <section>
      <h3>Workload</h3>
      <Row name="Sessions">
        <Picker
          label="What the sessions do"
          value={workload.kind ?? 'short-chat'}
          options={KINDS.filter(({ value }) => value === workload.kind || !GIVEN_KINDS.includes(value))}
          onChange={(kind) => store.setWorkloadKind(kind)}
        />
      </Row>
      <Row name="Arrive">
        <Picker
          label="How the sessions arrive"
          value={request.load?.kind ?? 'burst'}
          options={ARRIVALS}
          onChange={(kind) => store.setLoad(LOADS[kind])}
        />
      </Row>
      <Row name="Prompt, tokens">
        <NumberEntry
          label="Tokens of each prompt"
          unit=""
          value={workload.promptTokens}
          check={wholeWithin(1, 100_000, '')}
          onChange={(promptTokens) => store.changeWorkload({ promptTokens })}
        />
      </Row>
      <Row name="Answer, tokens">
        <NumberEntry
          label="Tokens of each answer, at most"
          unit=""
          value={workload.outputTokens}
          check={wholeWithin(1, 100_000, '')}
          onChange={(outputTokens) => store.changeWorkload({ outputTokens })}
        />
      </Row>
      <Row name="Background">
        <Tick label="memory note" checked={workload.memoryNote} onChange={(memoryNote) => store.changeWorkload({ memoryNote })} />
      </Row>
    </section>
  )
}
