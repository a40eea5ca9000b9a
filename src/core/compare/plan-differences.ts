/** What two sweeps asked for, and where they ran, line by line: which differences forbid a comparison, and which may explain a change. */
import { formatBytes } from '../report/format-number.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { modeOf } from '../sweep/modes.ts'
import { hash128 } from '../sweep/seeded-random.ts'
import { targetLabel } from '../sweep/target.ts'
import type { Difference } from './comparison.ts'

type Line = readonly [what: string, text: (state: SweepState) => string]

const NONE = 'not known'
const options = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ') || 'none'

/** Another load gives other figures, whatever the server does. */
const SHAPE: readonly Line[] = [
  ['workload', ({ plan }) => plan.workload.kind ?? 'short-chat'],
  ['prompt tokens', ({ plan }) => String(plan.workload.promptTokens)],
  ['answer tokens', ({ plan }) => String(plan.workload.outputTokens)],
  ['background note', ({ plan }) => (plan.workload.memoryNote ? 'yes' : 'no')],
  [
    'own prompts',
    ({ plan }) => {
      const { prompts = [] } = plan.workload
      // Their number may be the same and they others: a few letters tell them apart.
      return prompts.length === 0 ? 'none' : `${prompts.length} (${hash128(prompts.join('\n'))[0].toString(16).slice(0, 6)})`
    },
  ],
  ['mix of models or options', ({ plan }) => (plan.workload.variants.length === 0 ? 'none' : JSON.stringify(plan.workload.variants))],
  [
    'load',
    ({ plan }) => {
      const load = plan.request.load ?? { kind: 'burst' as const }
      return load.kind === 'open' ? `open, ${load.ratesPerSec.join(', ')} sessions a second` : load.kind
    },
  ],
]

const SETTINGS: readonly Line[] = [
  ['target', ({ facts, plan }) => (facts === null ? plan.request.target.model : targetLabel(facts))],
  // A built-in server listens elsewhere each time; that is no difference.
  ['address', ({ facts }) => (facts?.kind === 'plimsoll' ? 'built in' : (facts?.url ?? NONE))],
  ['server version', ({ facts }) => facts?.version ?? NONE],
  ['model size', ({ facts }) => (facts?.modelSizeBytes == null ? NONE : formatBytes(facts.modelSizeBytes))],
  ['quantisation', ({ facts }) => facts?.quantization ?? NONE],
  ['slots declared', ({ facts }) => String(facts?.declaredSlots ?? NONE)],
  ['context', ({ facts }) => String(facts?.contextTokens ?? NONE)],
  ['options', ({ plan }) => options(plan.workload.options)],
  [
    'simulation',
    ({ plan }) => (plan.request.target.kind === 'built-in' ? `${plan.request.target.slots} slots, ${options(plan.request.target.settings)}` : 'no'),
  ],
  ['mode', ({ plan }) => modeOf(plan.request) ?? 'levels as given'],
  ['repeats', ({ plan }) => String(plan.request.repeats)],
  ['seed', ({ plan }) => String(plan.seed)],
  ['faults', ({ plan }) => options(plan.request.faults)],
  ['SLO', ({ plan }) => `ttfa within ${plan.slo.ttfaMs} ms for ${plan.slo.targetRatio}, errors under ${plan.slo.maxErrorRatio}`],
  ['CPU', ({ environment }) => `${environment.cpuModel}, ${environment.cores} cores`],
  ['memory', ({ environment }) => formatBytes(environment.memoryBytes)],
  ['GPU', ({ environment }) => environment.gpus.join(', ') || 'none'],
  ['system', ({ environment }) => environment.system],
  ['Plimsoll', ({ environment }) => environment.plimsoll],
  ['Node', ({ environment }) => environment.node],
  ['host', ({ environment }) => environment.host],
]

const differing = (lines: readonly Line[], before: SweepState, after: SweepState): Difference[] =>
  lines.flatMap(([what, text]) => (text(before) === text(after) ? [] : [{ what, before: text(before), after: text(after) }]))

export const shapeDifferences = (before: SweepState, after: SweepState): Difference[] => differing(SHAPE, before, after)
export const settingDifferences = (before: SweepState, after: SweepState): Difference[] => differing(SETTINGS, before, after)
