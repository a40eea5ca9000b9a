/** The plan of a sweep that runs or ran: nothing to change here. */

import { memo } from 'react'
import { formatBytes, formatCount, formatRatio } from '../../../core/report/format-number.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { findsLevels, modeOf, repeatsOf } from '../../../core/sweep/modes.ts'
import type { Load, WorkloadKind } from '../../../core/sweep/plan.ts'
import type { ServerFacts } from '../../../core/sweep/target.ts'
import { LockGlyph } from '../../ui/glyphs.tsx'
import { KeyValues, PanelHead } from '../../ui/panel.tsx'
import { plainMs } from '../../ui/plain-ms.ts'
import { Instrument } from './instrument.tsx'
import styles from './plan-panel.module.css'
import { modelOf, placeOfTarget } from './sweep-words.ts'

function serverName(facts: ServerFacts): string {
  const version = facts.version === null ? '' : facts.versionKnown ? ` ${facts.version}` : ' (version unknown)'
  if (facts.kind === 'ollama') return `Ollama${version}`
  if (facts.kind === 'plimsoll') return facts.simulated ? 'Simulated server, built in' : 'Built-in server'
  return 'Model server of unknown kind'
}

function sizeLine(facts: ServerFacts): string {
  const parts = [
    facts.quantization,
    facts.modelSizeBytes === null ? null : formatBytes(facts.modelSizeBytes),
    facts.vramBytes === null ? null : facts.vramBytes > 0 ? `${formatBytes(facts.vramBytes)} on the GPU` : 'CPU only',
    facts.contextTokens === null ? null : `${formatCount(facts.contextTokens)} ctx`,
  ]
  return parts.filter((part) => part !== null && part !== '').join(', ')
}

function slotsLine(facts: ServerFacts): string {
  if (facts.declaredSlots === null) return 'slots not declared; the sweep sees them'
  const slots = `${facts.declaredSlots} ${facts.declaredSlots === 1 ? 'slot' : 'slots'} declared`
  return facts.declaredSlotsSource === null ? slots : `${slots}: ${facts.declaredSlotsSource}`
}

function TargetSection({ state }: { state: SweepState }) {
  const { facts } = state
  const { target } = state.plan.request
  return (
    <section>
      <h3>Target</h3>
      <p className={`strong ${styles.target}`}>{facts?.model ?? modelOf(target)}</p>
      <p className="s dim">
        {facts === null ? placeOfTarget(target) : `${serverName(facts)} at `}
        {facts === null ? null : <span className="num">{facts.url.replace(/^https?:\/\//, '')}</span>}
      </p>
      {facts === null ? null : <p className="s dim">{sizeLine(facts)}</p>}
      {facts === null ? null : <p className="s dim">{slotsLine(facts)}</p>}
    </section>
  )
}

const WORKLOAD_WORDS: Readonly<Record<WorkloadKind, string>> = {
  'short-chat': 'chat',
  'long-context': 'long context',
  agent: 'agent with tools',
  mixed: 'mixed',
  file: 'own prompts',
  replay: 'a recorded chat',
}

const LOAD_WORDS: Readonly<Record<Load['kind'], string>> = { burst: 'in bursts', sustained: 'one after the other', open: 'at random moments' }

type PlanViewProps = { state: SweepState; onChange(): void }

/** Redrawn when something ended; the way to change it works on whatever stands then. */
export const PlanView = memo(
  function PlanView({ state, onChange }: PlanViewProps) {
    const { plan } = state
    const { request, workload, slo } = plan
    const measured = state.cells.flatMap(({ cell, status }) =>
      cell.role === 'measure' && cell.arm === undefined && status !== 'skipped' ? [cell.n] : [],
    )
    const levels = [...new Set(measured)].sort((a, b) => a - b)
    const repeats = repeatsOf(request)
    const variants = workload.variants.length
    return (
      <aside className={styles.panel} aria-label="Plan" data-region tabIndex={-1}>
        <div className={styles.head}>
          <PanelHead title="Plan">
            {state.status === 'running' ? (
              <span className={`s ${styles.resetter}`}>
                <LockGlyph size={12} /> locked while it runs
              </span>
            ) : (
              <button type="button" className={`s ${styles.resetter}`} onClick={onChange}>
                Change <kbd>P</kbd>
              </button>
            )}
          </PanelHead>
        </div>
        <div className={styles.scroll}>
          <TargetSection state={state} />
          <section>
            <h3>
              Levels{findsLevels(request) ? ', found as it runs' : ', shuffled'}, {repeats} {repeats === 1 ? 'repeat' : 'repeats each'}
            </h3>
            <ol className={styles.levels}>
              {levels.map((n) => (
                <li key={n}>{n}</li>
              ))}
            </ol>
          </section>
          <section>
            <h3>
              Workload: {WORKLOAD_WORDS[workload.kind ?? 'short-chat']}, {LOAD_WORDS[request.load?.kind ?? 'burst']}
            </h3>
            <KeyValues
              rows={[
                { key: 'Prompt', value: `${workload.promptTokens} tokens, unique` },
                { key: 'Answer', value: `${workload.outputTokens} tokens, capped` },
                { key: 'Background', value: workload.memoryNote ? 'memory note' : 'none' },
                ...(variants === 0 ? [] : [{ key: 'Variants', value: `${variants}, in turn` }]),
              ]}
            />
          </section>
          <section>
            <h3>Holds when</h3>
            <KeyValues
              rows={[
                { key: 'ttfa within', value: plainMs(slo.ttfaMs) },
                { key: 'for at least', value: `${formatRatio(slo.targetRatio)} of sessions` },
                { key: 'errors under', value: formatRatio(slo.maxErrorRatio) },
              ]}
            />
          </section>
          <section>
            <h3>Mode: {modeOf(request) ?? 'own'}</h3>
            <KeyValues
              rows={[
                { key: 'Legs', value: request.legs.join(', ') },
                { key: 'Cells', value: state.cells.length },
                { key: 'Seed', value: plan.seed },
                { key: 'Cost', value: 'none, local' },
                ...(request.faults.runnerBlockMs > 0 ? [{ key: 'Fault', value: `loop blocked ${plainMs(request.faults.runnerBlockMs)}` }] : []),
              ]}
            />
          </section>
          <section>
            <h3>Instrument, at p99</h3>
            <Instrument state={state} />
          </section>
        </div>
      </aside>
    )
  },
  (a, b) => a.state === b.state,
)
