/** How much memory the contexts of a model take: Ollama starts a model with `-c num_ctx*slots`, so it grows with both. Pure. */

export interface ContextMemory {
  readonly contextTokens: number
  readonly slots: number
  readonly bytes: number
}

/** Bytes of one number in the cache, by OLLAMA_KV_CACHE_TYPE: blocks of 32 hold one scale of 2 bytes. */
const CACHE_BYTES: Readonly<Record<string, number>> = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 }

/**
 * Bytes that one token of context takes, over all layers; an upper bound for models whose layers see a window only.
 * @param info `model_info` of `/api/show` @param cacheType of the server, f16 unless set
 * @returns null when the model does not tell
 */
export function kvBytesPerToken(info: Readonly<Record<string, unknown>> | null | undefined, cacheType = 'f16'): number | null {
  const architecture = info?.['general.architecture']
  if (info == null || typeof architecture !== 'string') return null
  const figure = (name: string): number | null => {
    const value = info[`${architecture}.${name}`]
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null
  }
  const layers = figure('block_count')
  const heads = figure('attention.head_count')
  const width = figure('embedding_length')
  const headWidth = width === null || heads === null ? null : width / heads
  const keys = figure('attention.key_length') ?? headWidth
  const values = figure('attention.value_length') ?? headWidth
  if (layers === null || keys === null || values === null) return null
  const kvHeads = headsOfAllLayers(info[`${architecture}.attention.head_count_kv`], layers) ?? (heads === null ? null : heads * layers)
  return kvHeads === null ? null : Math.round(kvHeads * (keys + values) * (CACHE_BYTES[cacheType] ?? 2))
}

/** One number for all layers, or one for each. */
function headsOfAllLayers(value: unknown, layers: number): number | null {
  if (typeof value === 'number' && value > 0) return value * layers
  if (!Array.isArray(value) || value.length === 0) return null
  let sum = 0
  for (const heads of value) {
    if (typeof heads !== 'number' || !Number.isFinite(heads)) return null
    sum += heads
  }
  return sum
}

export function contextMemory(bytesPerToken: number, contextTokens: number, slots: number): ContextMemory {
  return { contextTokens, slots, bytes: bytesPerToken * contextTokens * slots }
}
