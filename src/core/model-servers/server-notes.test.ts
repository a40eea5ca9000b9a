import { expect, test } from 'vitest'
import type { ServerFacts } from '../sweep/target.ts'
import { serverNotes } from './server-notes.ts'

const FACTS: ServerFacts = {
  kind: 'ollama',
  url: 'http://127.0.0.1:11434',
  version: '0.12.0',
  versionKnown: true,
  simulated: false,
  engine: null,
  model: 'm',
  modelSizeBytes: 4e9,
  quantization: null,
  family: 'llama',
  contextTokens: 4096,
  vramBytes: null,
  declaredSlots: 4,
  declaredSlotsSource: "OLLAMA_NUM_PARALLEL of the server's process",
  supportsTools: null,
  pid: 1,
  configuredSlots: 4,
  residentBytes: null,
  kvBytesPerToken: 131_072,
  freeMemoryBytes: 16e9,
  forcedToOne: null,
  gauges: null,
}
const PLAIN = { options: {}, variants: [] }
const codes = (change: Partial<ServerFacts>, workload: Parameters<typeof serverNotes>[1] = PLAIN) =>
  serverNotes({ ...FACTS, ...change }, workload).map(({ code }) => code)

test('a server as it should be has no notes', () => {
  expect(codes({})).toEqual([])
})

test('a model that did not fit on the GPU is said to spill; one on the CPU alone is not', () => {
  expect(codes({ residentBytes: 8e9, vramBytes: 5e9 })).toEqual(['memory-spill'])
  expect(codes({ residentBytes: 8e9, vramBytes: 0 })).toEqual([])
  expect(codes({ residentBytes: 8e9, vramBytes: 7.99e9 })).toEqual([])
})

test('slots that were set and have no effect are named, with the reason where there is one', () => {
  expect(codes({ declaredSlots: 1 })).toEqual(['slots-differ'])
  expect(codes({ declaredSlots: 1, forcedToOne: 'the family qwen3next is served one request at a time' })).toEqual(['forced-to-one-slot'])
  expect(codes({ declaredSlots: null, configuredSlots: null, version: '0.9.6' })).toEqual(['slots-automatic'])
})

test('differing num_ctx, among the sessions or from what is loaded, is a reload', () => {
  const variants = [1024, 2048].map((size) => ({ model: 'm', options: { num_ctx: size } }))
  expect(codes({}, { options: {}, variants })).toEqual(['reload-by-options'])
  expect(codes({ residentBytes: 5e9 }, { options: { num_ctx: 8192 }, variants: [] })).toEqual(['reload-by-options'])
  expect(codes({ residentBytes: 5e9 }, { options: { num_ctx: 4096 }, variants: [] })).toEqual([])
})

test('contexts times slots that do not fit into what is free are said before the sweep', () => {
  const [note] = serverNotes({ ...FACTS, freeMemoryBytes: 5e9 }, PLAIN)
  // 4,096 tokens × 4 slots × 128 KiB = 2.1 GB, and the model's 4 GB.
  expect(note).toMatchObject({ code: 'context-memory-short', text: expect.stringContaining('4096 tokens in 4 slots takes 2.1') })
  expect(codes({ freeMemoryBytes: 5e9, residentBytes: 5e9 })).toEqual([])
})
