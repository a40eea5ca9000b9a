/** What Ollama's version and a model's family say about its slots (research/field-reports.md B1). An unknown version says nothing. */

/** `auto`: the server takes `most` when the memory allows it, else 1. */
export type DefaultSlots =
  | { readonly kind: 'fixed'; readonly slots: number }
  | { readonly kind: 'auto'; readonly most: number }
  | { readonly kind: 'unknown' }

const UNKNOWN: DefaultSlots = { kind: 'unknown' }

/** By the first version with it, the newest first. Before 0.1.33 there was no parallel serving at all. */
const DEFAULTS: readonly { readonly from: readonly [number, number, number]; readonly slots: DefaultSlots }[] = [
  { from: [0, 10, 0], slots: { kind: 'fixed', slots: 1 } },
  { from: [0, 6, 7], slots: { kind: 'auto', most: 2 } },
  { from: [0, 2, 0], slots: { kind: 'auto', most: 4 } },
  { from: [0, 0, 1], slots: { kind: 'fixed', slots: 1 } },
]

/** A build from source calls itself 0.0.0. */
export function isVersionKnown(version: string | null): boolean {
  return version !== null && /^\d+\.\d+\.\d+/.test(version) && !version.startsWith('0.0.0')
}

/** What a server of this version takes when OLLAMA_NUM_PARALLEL is unset or 0. */
export function defaultSlots(version: string | null): DefaultSlots {
  if (version === null || !isVersionKnown(version)) return UNKNOWN
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  const asked = [major, minor, patch]
  const isFrom = (from: readonly number[]) => {
    const at = from.findIndex((part, place) => part !== asked[place])
    return at === -1 || (asked[at] ?? 0) > (from[at] ?? 0)
  }
  return DEFAULTS.find(({ from }) => isFrom(from))?.slots ?? UNKNOWN
}

/** Context that a model gets when neither it nor the request names one; by version, null where it depends on the GPU or is not known. */
export function defaultContextTokens(version: string | null): number | null {
  if (version === null || !isVersionKnown(version)) return null
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  const rank = (major * 1000 + minor) * 1000 + patch
  if (rank >= 15_005) return null
  return rank >= 6_007 ? 4096 : 2048
}

/** Served one at a time whatever the setting: "model architecture does not currently support parallel requests". */
const FORCED_FAMILIES = /^(mllama|qwen3vl(moe)?|qwen35(moe)?|qwen3next|lfm2(moe)?|nemotron_h.*)$/

/** Why this model gets one slot whatever is set; null = it does not. */
export function forcedToOne(model: {
  readonly family: string | null
  readonly format: string | null
  readonly capabilities: readonly string[] | null
}): string | null {
  const { family, format, capabilities } = model
  if (format === 'safetensors' || format === 'mlx') return 'models in this format go through a runner that takes one request at a time'
  if (capabilities?.includes('embedding') && !capabilities.includes('completion')) return 'models that only embed get one slot'
  if (family !== null && FORCED_FAMILIES.test(family)) return `the family ${family} is served one request at a time`
  return null
}
