import { describe, expect, test } from 'vitest'
import { contextMemory, kvBytesPerToken } from './context-memory.ts'
import { gaugesSince, readGauges, readMetricsText } from './metrics-text.ts'
import { defaultContextTokens, defaultSlots, forcedToOne } from './ollama-slots.ts'
import { recogniseServer, SERVER_KINDS } from './server-kinds.ts'

describe('Ollama’s default slots by version', () => {
  test.each([
    ['0.1.32', { kind: 'fixed', slots: 1 }],
    ['0.1.48', { kind: 'fixed', slots: 1 }],
    ['0.2.0', { kind: 'auto', most: 4 }],
    ['0.6.6', { kind: 'auto', most: 4 }],
    ['0.6.7', { kind: 'auto', most: 2 }],
    ['0.9.6', { kind: 'auto', most: 2 }],
    ['0.10.0', { kind: 'fixed', slots: 1 }],
    ['0.33.0-rc1', { kind: 'fixed', slots: 1 }],
    ['1.0.0', { kind: 'fixed', slots: 1 }],
    ['0.0.0', { kind: 'unknown' }],
    [null, { kind: 'unknown' }],
  ])('%s', (version, slots) => {
    expect(defaultSlots(version)).toEqual(slots)
  })

  test('and default context: nothing is assumed where it depends on the GPU', () => {
    expect(['0.6.6', '0.6.7', '0.15.4', '0.15.5', '0.0.0'].map(defaultContextTokens)).toEqual([2048, 4096, 4096, null, null])
  })

  test('families, formats and embedders that get one slot whatever is set', () => {
    const model = { family: null, format: 'gguf', capabilities: ['completion'] }
    expect(forcedToOne(model)).toBeNull()
    expect(forcedToOne({ ...model, family: 'qwen3' })).toBeNull()
    expect(forcedToOne({ ...model, family: 'qwen3vlmoe' })).toContain('qwen3vlmoe')
    expect(forcedToOne({ ...model, family: 'nemotron_h_moe' })).not.toBeNull()
    expect(forcedToOne({ ...model, format: 'safetensors' })).not.toBeNull()
    expect(forcedToOne({ ...model, capabilities: ['embedding'] })).not.toBeNull()
  })
})

describe('memory of contexts', () => {
  const llama = {
    'general.architecture': 'llama',
    'llama.block_count': 32,
    'llama.attention.head_count': 32,
    'llama.attention.head_count_kv': 8,
    'llama.embedding_length': 4096,
  }

  test('Llama 3 8B: 128 KiB a token, so 8k tokens in 4 slots are 4 GiB', () => {
    expect(kvBytesPerToken(llama)).toBe(131_072)
    expect(contextMemory(131_072, 8_192, 4).bytes).toBe(4 * 1024 ** 3)
  })

  test('own widths, heads by layer and a smaller cache type count', () => {
    expect(kvBytesPerToken({ ...llama, 'llama.attention.key_length': 256, 'llama.attention.value_length': 256 })).toBe(262_144)
    expect(kvBytesPerToken({ ...llama, 'llama.attention.head_count_kv': Array.from({ length: 32 }, (_, layer) => (layer < 16 ? 8 : 0)) })).toBe(
      65_536,
    )
    expect(kvBytesPerToken(llama, 'q8_0')).toBe(69_632)
  })

  test('a model that does not tell is not guessed at', () => {
    expect(kvBytesPerToken(undefined)).toBeNull()
    expect(kvBytesPerToken({ ...llama, 'llama.block_count': 'many' })).toBeNull()
  })
})

describe('metrics', () => {
  const text = [
    '# HELP vllm:num_requests_running Number of requests',
    'vllm:num_requests_running{engine="0",model_name="m"} 12.0',
    'vllm:num_requests_running{engine="1",model_name="m"} 4.0',
    'vllm:num_requests_waiting{engine="0"} 7',
    'vllm:kv_cache_usage_perc{engine="0"} 0.31',
    'vllm:num_preemptions_total{engine="0"} 3',
    'half a line',
    'vllm:broken NaN',
  ].join('\n')

  test('engines are summed; what can’t be read is left out', () => {
    expect(readGauges(readMetricsText(text))).toEqual({ running: 16, waiting: 7, kvCacheRatio: 0.31, preemptions: 3 })
  })

  test('older and other names mean the same; unknown ones mean nothing', () => {
    expect(readGauges(readMetricsText('vllm:gpu_cache_usage_perc 0.5'))).toMatchObject({ kvCacheRatio: 0.5, running: null })
    expect(readGauges(readMetricsText('llamacpp:requests_processing 3\nllamacpp:requests_deferred 9'))).toMatchObject({ running: 3, waiting: 9 })
    expect(readGauges(readMetricsText('go_goroutines 7'))).toBeNull()
  })

  test('what ran before is not ours, and a restart never counts below zero', () => {
    const before = { running: 2, waiting: 0, kvCacheRatio: 0.1, preemptions: 5 }
    expect(gaugesSince(before, { running: 10, waiting: 4, kvCacheRatio: 0.6, preemptions: 7 })).toEqual({
      running: 8,
      waiting: 4,
      kvCacheRatio: 0.6,
      preemptions: 2,
    })
    expect(gaugesSince(before, { running: 0, waiting: null, kvCacheRatio: null, preemptions: 0 })).toEqual({
      running: 0,
      waiting: null,
      kvCacheRatio: null,
      preemptions: 0,
    })
  })
})

describe('kinds', () => {
  test('each is recognised by its own sign, and our own server comes before what it imitates', () => {
    expect(recogniseServer({ greeting: 'Ollama is running' })).toBe('ollama')
    expect(recogniseServer({ isOurs: true, greeting: 'Ollama is running', hasProps: true })).toBe('plimsoll')
    expect(recogniseServer({ owners: ['vllm'] })).toBe('vllm')
    expect(recogniseServer({ owners: ['llamacpp'] })).toBe('llama-server')
    expect(recogniseServer({ owners: ['organization_owner'], hasLmStudioModels: true })).toBe('lm-studio')
    expect(recogniseServer({ owners: [] })).toBe('openai')
    expect(recogniseServer({})).toBe('unknown')
  })

  test('every kind says what it can’t tell', () => {
    for (const row of SERVER_KINDS) expect(row.never, row.kind).not.toBe('')
  })
})
