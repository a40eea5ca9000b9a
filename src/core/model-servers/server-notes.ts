/** What a person should know of a server before the figures of a sweep: doubts and costs that follow from what was read of it. Pure. */
import { formatBytes } from '../report/format-number.ts'
import type { Workload } from '../sweep/plan.ts'
import type { ServerFacts } from '../sweep/target.ts'
import { contextMemory } from './context-memory.ts'
import { defaultContextTokens, defaultSlots } from './ollama-slots.ts'

export interface ServerNote {
  readonly code: string
  readonly text: string
}

export function serverNotes(facts: ServerFacts, workload: Pick<Workload, 'options' | 'variants'>): ServerNote[] {
  return [spill(facts), slots(facts), reload(facts, workload), shortMemory(facts, workload)].flatMap((note) => note ?? [])
}

/** Under one percent is bookkeeping, not layers. */
const SPILL_RATIO = 0.01

function spill({ residentBytes, vramBytes, model }: ServerFacts): ServerNote | null {
  if (residentBytes == null || vramBytes === null || vramBytes <= 0) return null
  const outsideBytes = residentBytes - vramBytes
  if (outsideBytes < SPILL_RATIO * residentBytes) return null
  return {
    code: 'memory-spill',
    text: `${formatBytes(outsideBytes)} of the ${formatBytes(residentBytes)} that ${model} takes did not fit on the GPU and are computed by the CPU: every token waits for it. A shorter context or fewer slots would make it fit sooner than anything else.`,
  }
}

function slots({
  kind,
  version,
  configuredSlots = null,
  declaredSlots,
  declaredSlotsSource,
  forcedToOne = null,
  model,
  pid,
}: ServerFacts): ServerNote | null {
  if (kind !== 'ollama') return null
  if (forcedToOne !== null && configuredSlots !== null && configuredSlots > 1)
    return { code: 'forced-to-one-slot', text: `OLLAMA_NUM_PARALLEL is ${configuredSlots}, but ${model} gets one slot: ${forcedToOne}.` }
  if (configuredSlots !== null && declaredSlots !== null && configuredSlots !== declaredSlots)
    return {
      code: 'slots-differ',
      text: `OLLAMA_NUM_PARALLEL is ${configuredSlots}, but ${model} was started with ${declaredSlots} (${declaredSlotsSource}): the setting has no effect on it as it is loaded now.`,
    }
  const standard = defaultSlots(version)
  if (declaredSlots === null && pid !== null && standard.kind === 'auto')
    return {
      code: 'slots-automatic',
      text: `Ollama ${version} chooses ${standard.most} slots or 1 by the memory that is free when a model is loaded; which it was shows in the answers.`,
    }
  return null
}

/** Options that a server loads a model by: one that differs from what is loaded means unload and load (research/field-reports.md B1). */
const LOAD_OPTIONS = ['num_ctx', 'num_gpu', 'num_batch', 'main_gpu', 'use_mmap'] as const

function reload(facts: ServerFacts, { options, variants }: Pick<Workload, 'options' | 'variants'>): ServerNote | null {
  if (facts.kind !== 'ollama') return null
  const differing = LOAD_OPTIONS.filter((name) => new Set(variants.map((variant) => variant.options[name])).size > 1)
  if (differing.length > 0)
    return {
      code: 'reload-by-options',
      text: `The sessions differ in ${differing.join(', ')}: Ollama loads the same model anew for each change, so they can't be served side by side.`,
    }
  const asked = options.num_ctx
  if (facts.residentBytes == null || typeof asked !== 'number' || facts.contextTokens === null || asked === facts.contextTokens) return null
  return {
    code: 'reload-by-options',
    text: `${facts.model} is loaded with a context of ${facts.contextTokens} tokens; the sweep asks for ${asked}, so its first request loads it anew, and whoever uses it as it was makes it load again.`,
  }
}

function shortMemory(facts: ServerFacts, { options }: Pick<Workload, 'options'>): ServerNote | null {
  const { kvBytesPerToken = null, freeMemoryBytes = null, residentBytes = null, modelSizeBytes, vramBytes } = facts
  if (facts.kind !== 'ollama' || kvBytesPerToken === null || freeMemoryBytes === null) return null
  // On a GPU another memory counts, of which Ollama tells nothing.
  if (vramBytes !== null && vramBytes > 0) return null
  const asked = typeof options.num_ctx === 'number' ? options.num_ctx : (facts.contextTokens ?? defaultContextTokens(facts.version))
  if (asked === null) return null
  const needed = contextMemory(kvBytesPerToken, asked, facts.declaredSlots ?? 1)
  const isLoadedSo = residentBytes !== null && facts.contextTokens === asked
  if (isLoadedSo || needed.bytes + (residentBytes === null ? (modelSizeBytes ?? 0) : 0) <= freeMemoryBytes) return null
  return {
    code: 'context-memory-short',
    text: `A context of ${asked} tokens in ${needed.slots === 1 ? '1 slot' : `${needed.slots} slots`} takes ${formatBytes(needed.bytes)}${
      modelSizeBytes === null || residentBytes !== null ? '' : ` beside the ${formatBytes(modelSizeBytes)} of the model`
    }, and ${formatBytes(freeMemoryBytes)} are free: the machine may swap, or the server refuse.`,
  }
}
