/** Where a sweep ran and against what, as rows of name and value. What the server did not say stays out; nothing is assumed. */
import type { Analysis } from '../analysis/analysis.ts'
import { contextMemory } from '../model-servers/context-memory.ts'
import { kindLabel } from '../model-servers/server-kinds.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import type { ServerFacts } from '../sweep/target.ts'
import { formatAmount, formatBytes, formatCount, formatDuration } from './format-number.ts'
import { isSimulated, sweepNumbers } from './report-levels.ts'
import { count } from './words.ts'

export type Fact = { readonly name: string; readonly value: string }

/** Two lists that stand side by side. */
export function environmentFacts(state: SweepState, analysis: Analysis): { server: Fact[]; machine: Fact[] } {
  return { server: serverRows(state, analysis), machine: machineRows(state) }
}

function serverRows(state: SweepState, analysis: Analysis): Fact[] {
  const { facts } = state
  const { target } = state.plan.request
  if (facts === null)
    return [
      { name: 'Model server', value: 'was not read' },
      { name: 'Model', value: target.model },
    ]
  // A built-in server is as old as its Plimsoll, which stands on the other side.
  const said = facts.kind === 'plimsoll' ? null : facts.version
  const version = said === null ? '' : facts.versionKnown ? ` ${said}` : `, version unknown (says ${said})`
  const kind = facts.kind === 'plimsoll' ? `built in, ${facts.engine ?? 'engine unknown'}` : (kindLabel(facts.kind) ?? 'unknown kind')
  const { n: seen, plateau } = analysis.effectiveSlots
  const declared = facts.declaredSlots === null ? 'not declared' : `${formatAmount(facts.declaredSlots)} declared`
  const model = [facts.model, facts.family, facts.quantization, facts.modelSizeBytes === null ? null : formatBytes(facts.modelSizeBytes)]
  return [
    { name: 'Model server', value: `${kind}${version}${isSimulated(state) && facts.engine !== 'simulated' ? ', simulated' : ''}` },
    { name: 'Address', value: facts.url },
    { name: 'Model', value: model.filter((item) => item !== null).join(', ') },
    { name: 'Slots', value: `${declared}, ${seen === null ? 'not seen' : `${plateau ? '' : 'at least '}${formatAmount(seen)} seen`}` },
    ...(facts.declaredSlotsSource === null ? [] : [{ name: 'Declared by', value: facts.declaredSlotsSource }]),
    ...(facts.contextTokens === null ? [] : [{ name: 'Context', value: `${formatCount(facts.contextTokens)} tokens` }]),
    ...(facts.residentBytes == null ? [] : [{ name: 'In memory', value: formatBytes(facts.residentBytes) }]),
    ...contextRows(facts),
    ...(facts.vramBytes === null ? [] : [{ name: 'On the GPU', value: formatBytes(facts.vramBytes) }]),
  ]
}

/** What the contexts of all slots take; nothing where size, context or slots were not told. */
function contextRows({ kvBytesPerToken, contextTokens, declaredSlots }: ServerFacts): Fact[] {
  if (kvBytesPerToken == null || contextTokens === null || declaredSlots === null) return []
  const { bytes, slots } = contextMemory(kvBytesPerToken, contextTokens, declaredSlots)
  return [{ name: 'Memory of contexts', value: `${formatBytes(bytes)} for ${count(slots, 'slot')}` }]
}

function machineRows(state: SweepState): Fact[] {
  const { environment } = state
  const { cellsDone, cellsPlanned, sessions, durationMs } = sweepNumbers(state)
  return [
    { name: 'Machine', value: `${count(environment.cores, 'core')}, ${formatBytes(environment.memoryBytes)}` },
    { name: 'CPU', value: environment.cpuModel },
    { name: 'GPU', value: environment.gpus.length === 0 ? 'none found' : environment.gpus.join(', ') },
    { name: 'System', value: environment.system },
    { name: 'Plimsoll', value: `${environment.plimsoll}, Node ${environment.node.replace(/^v/, '')}` },
    { name: 'Sweep', value: `${cellsDone} of ${cellsPlanned} cells, ${formatCount(sessions)} sessions, ${formatDuration(durationMs)}` },
  ]
}
