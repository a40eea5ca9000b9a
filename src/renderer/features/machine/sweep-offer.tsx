/** The offer at the right of what was found: one button, what it would measure, how sure it could become. */
import { formatDuration } from '../../../core/report/format-number.ts'
import { findsLevels, modeOf } from '../../../core/sweep/modes.ts'
import type { SweepRequest } from '../../../core/sweep/plan.ts'
import { DEFAULT_SLO, DEFAULT_WORKLOAD } from '../../../core/sweep/plan-sweep.ts'
import type { Target } from '../../../core/sweep/target.ts'
import { sameTarget, type TargetOption, targetOptions } from '../../stores/discovery-store.ts'
import { MODE_LIST, MODE_TEXTS, type Plan } from '../../stores/plan-store.ts'
import { useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { useSweepButton } from '../../stores/sweep-button.ts'
import { Choices } from '../../ui/choices.tsx'
import { KeyHint } from '../../ui/key-hint.tsx'
import { MarkedButton } from '../../ui/marked-button.tsx'
import { KeyValues, PanelHead } from '../../ui/panel.tsx'
import { plainMs } from '../../ui/plain-ms.ts'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './machine-page.module.css'

/** More than these are chosen on the Sweep page. */
const MOST_OPTIONS = 6

export function SweepOffer() {
  const { plan: store, discovery } = useStores()
  const plan = useStore(store)
  const button = useSweepButton()
  const options = targetOptions(useStore(discovery).found)
  const took = plan.estimate === null ? '' : `About ${formatDuration(plan.estimate.seconds * 1000)}, free`
  return (
    <aside className={styles.offer} aria-label="The sweep" data-region tabIndex={-1}>
      <PanelHead title="The sweep">
        <span className="s dim">{button.progress === undefined ? 'nothing is running yet' : 'one is running'}</span>
      </PanelHead>
      <div className={styles.body}>
        <p className="l">
          {plan.request === null
            ? 'How many sessions can this machine carry, and what gives way first?'
            : `How many sessions can ${subject(plan.request.target)} carry here, and what gives way first?`}
        </p>
        <div>
          <MarkedButton {...button} />
        </div>
        <p className="dim">{button.refused ?? `${took === '' ? 'Free' : took}, nothing leaves this machine. Esc stops it and keeps the results.`}</p>
      </div>
      {options.length === 0 ? null : <Against options={options} plan={plan} />}
      {plan.request === null ? null : <ModePick plan={plan} request={plan.request} />}
      <Elsewhere />
      <p className={styles.foot}>No account, no telemetry. This page stays in Settings.</p>
    </aside>
  )
}

/** What is asked about, as the subject of a sentence. */
function subject(target: Target): string {
  if (target.kind === 'server') return target.model
  return target.engine === 'simulated' ? 'the simulated server' : 'the built-in model'
}

function why(option: TargetOption, first: boolean): string {
  const { target } = option
  if (target.kind === 'server') return first ? 'The best of what was found.' : `At ${target.url.replace(/^https?:\/\//, '')}.`
  if (target.engine === 'simulated') return 'To see whether Plimsoll is right: its truth is known. Its numbers are simulated.'
  return first ? 'Real inference, nothing to install.' : 'If the server should be left alone.'
}

function Against({ options, plan }: { options: readonly TargetOption[]; plan: Plan }) {
  const { plan: store } = useStores()
  const shown = options.slice(0, MOST_OPTIONS)
  const current = shown.findIndex((option) => sameTarget(option.target, plan.request?.target))
  return (
    <div className={styles.pick}>
      <h3 className="cap">Against</h3>
      <Choices
        label="Target"
        value={String(current)}
        choices={shown.map((option, i) => ({ value: String(i), name: option.label, text: why(option, i === 0) }))}
        onChange={(value) => {
          const option = shown[Number(value)]
          if (option !== undefined) store.setTarget(option.target, option.label)
        }}
      />
    </div>
  )
}

/** Three of these stand side by side: whole minutes are enough. */
const roundly = (seconds: number) => (seconds < 100 ? formatDuration(seconds * 1000) : `${Math.round(seconds / 60)} min`)

function ModePick({ plan, request }: { plan: Plan; request: SweepRequest }) {
  const { plan: store } = useStores()
  const slo = { ...DEFAULT_SLO, ...request.slo }
  const workload = { ...DEFAULT_WORKLOAD, ...request.workload }
  const mode = modeOf(request)
  const options = MODE_LIST.map((one) => {
    const estimate = plan.modeEstimates[one]
    return { value: one, label: estimate === undefined ? one : `${one}, ${roundly(estimate.seconds)}`, title: MODE_TEXTS[one] }
  })
  return (
    <div className={styles.pick}>
      <h3 className="cap">Mode</h3>
      <div className={styles.mode}>
        <Segmented wide label="Mode" options={options} value={mode} onChange={store.setMode} />
      </div>
      <p className="s dim">{mode === undefined ? 'Levels and repeats of your own.' : MODE_TEXTS[mode]}</p>
      <KeyValues
        rows={[
          { key: 'Levels', value: findsLevels(request) ? 'found by the sweep' : request.levels.join(', ') },
          { key: 'Prompt, answer', value: `${workload.promptTokens}, ${workload.outputTokens} tokens` },
          { key: 'Holds when', value: `ttfa within ${plainMs(slo.ttfaMs)} for ${Math.round(slo.targetRatio * 100)} %` },
        ]}
      />
    </div>
  )
}

function Elsewhere() {
  const { layout } = useStores()
  return (
    <div className={styles.pick}>
      <h3 className="cap">Or start elsewhere</h3>
      <button type="button" className={styles.or} onClick={() => layout.goTo('terminals')}>
        A shell, or an agent in a pane <KeyHint chord="alt+1" />
      </button>
      <button type="button" className={styles.or} onClick={layout.openPlan}>
        Change the plan of the sweep <KeyHint chord="alt+2" />
      </button>
    </div>
  )
}
