/** The wave under the chart: head with key and steps, lanes, traces. Follows the running wave unless another one was chosen. */
import { type ReactNode, useMemo } from 'react'
import { PART_WORDS } from '../../../core/report/words.ts'
import type { OpenSweep } from '../../stores/sweep-store.ts'
import { partFill } from '../../ui/part-patterns.tsx'
import { decomposeWave } from './decompose-wave.ts'
import { HardwareTraces } from './hardware-traces.tsx'
import { defaultWave, type LanePart, type WaveRef, waveView } from './lane-model.ts'
import { WaveLanes } from './wave-lanes.tsx'
import styles from './wave-panel.module.css'

const KEY_ALWAYS: readonly LanePart[] = ['runner', 'queue', 'load', 'prefill', 'decode', 'tools', 'background']
const KEY_WHEN_SEEN: readonly LanePart[] = ['swap', 'neighbourPrefill']

type WavePanelProps = { sweep: OpenSweep; chosen: WaveRef | undefined; onChoose(ref: WaveRef | undefined): void }

/** How long one session alone waits for its first token. */
function leadPrefill(sweep: OpenSweep): number | null {
  const alone = sweep.analysis?.levels.find((level) => level.n === 1 && level.leg === 'runner')
  return alone === undefined ? null : (alone.partsMs.prefill ?? null)
}

export function WavePanel({ sweep, chosen, onChoose }: WavePanelProps) {
  const { state, live } = sweep
  const ref = useMemo(() => {
    if (chosen !== undefined) return chosen
    if (live !== undefined) return { cell: live.cell, wave: live.wave }
    return state === undefined ? undefined : defaultWave(state)
  }, [chosen, live, state])
  // The baseline needs all rows, so it is made once an analysis, not once a redraw.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new analysis comes with the state that it read
  const decompose = useMemo(() => (state === undefined ? () => new Map() : decomposeWave(state, sweep.analysis)), [sweep.analysis, state?.plan])
  const wave = useMemo(() => {
    if (state === undefined || ref === undefined) return undefined
    return waveView({ state, live, decompose, leadPrefillMs: leadPrefill(sweep) }, ref)
  }, [state, live, ref, sweep, decompose])
  if (state === undefined || wave === undefined || ref === undefined) return <WaveHead title="Wave" note="none yet" seen={[]} />
  const waves = Math.max(1, state.cells[ref.cell]?.wavesStarted ?? 1)
  const cell = state.cells[ref.cell]?.cell
  const parts = [...new Set(wave.lanes.flatMap((lane) => lane.bars.map((bar) => bar.part)))]
  const note = [
    cell === undefined ? '' : `N = ${cell.n}${cell.leg === 'runner' ? '' : `, ${cell.leg} leg`}`,
    wave.lanes.length < wave.sessions ? `${wave.lanes.length} of ${wave.sessions} sessions, by order of service` : 'by order of service',
  ].filter((part) => part !== '')
  const step = (to: number) => to >= 0 && to < waves && onChoose({ cell: ref.cell, wave: to })
  return (
    <>
      <WaveHead title={`Wave ${wave.wave + 1}`} note={note.join(', ')} seen={parts}>
        {waves > 1 && live === undefined ? (
          <span>
            <button type="button" className={styles.step} aria-label="Wave before" onClick={() => step(wave.wave - 1)}>
              ‹
            </button>
            <button type="button" className={styles.step} aria-label="Next wave" onClick={() => step(wave.wave + 1)}>
              ›
            </button>
          </span>
        ) : null}
      </WaveHead>
      <WaveLanes wave={wave} outputTokens={state.plan.workload.outputTokens} />
      <HardwareTraces wave={wave} samples={state.samples} />
    </>
  )
}

type WaveHeadProps = { title: string; note: string; seen: readonly LanePart[]; children?: ReactNode }

function WaveHead({ title, note, seen, children }: WaveHeadProps) {
  const special = KEY_WHEN_SEEN.filter((part) => seen.includes(part))
  // There is room for seven; with a special one among them the key holds only what is drawn.
  const parts = special.length === 0 ? KEY_ALWAYS : [...KEY_ALWAYS.filter((part) => seen.includes(part)), ...special]
  return (
    <div className={styles.head}>
      <h2>{title}</h2>
      {children}
      <span className="dim s">{note}</span>
      <ul className={styles.key} aria-label="Parts of a turn">
        {parts.map((part) => (
          <li key={part} title={PART_WORDS[part].meaning}>
            <svg width="12" height="8" aria-hidden="true">
              <rect width="12" height="8" rx="1" style={{ fill: partFill(part) }} />
            </svg>
            {PART_WORDS[part].label}
          </li>
        ))}
      </ul>
    </div>
  )
}
