import { expect, test } from 'vitest'
import { sweepArguments } from '../../../core/report/sweep-command.ts'
import { sweepIdSchema } from '../../../core/result/ids.ts'
import { type SweepRequestInput, sweepRequestSchema } from '../../../core/sweep/plan.ts'
import { planSweep } from '../../../core/sweep/plan-sweep.ts'
import { silentIo } from './played-io.ts'
import { runCli } from './program.ts'
import { readSweepFlags, type SweepFlags } from './sweep-options.ts'

const sweepId = sweepIdSchema.parse('s')

/** Takes the words through commander itself, up to the flags. */
async function flagsOf(words: readonly string[]): Promise<SweepFlags> {
  const { io } = silentIo()
  let flags: SweepFlags | undefined
  await runCli(['node', 'plimsoll', ...words], {
    io,
    openApp: () => Promise.reject(new Error('not opened here')),
    sweep: async (given) => {
      flags = given
      return 0
    },
    tune: async () => 0,
    analyse: async () => 0,
    serve: async () => 0,
    modelServer: async () => 0,
  })
  if (flags === undefined) throw new Error(`"${words.join(' ')}" did not reach the sweep.`)
  return flags
}

const REQUESTS: Record<string, SweepRequestInput> = {
  'a server': { target: { kind: 'server', url: 'http://127.0.0.1:11434', model: 'smollm2:135m' }, levels: [1, 2, 4], repeats: 2, waves: 5, seed: 11 },
  'a server on OpenAI’s wire': {
    target: {
      kind: 'server',
      url: 'https://api.example.com',
      model: 'm',
      api: 'openai',
      keyName: 'MY_KEY',
      price: { inputUsd: 0.15, outputUsd: 0.6 },
    },
    levels: [1, 2],
  },
  'a simulated one with settings': {
    target: {
      kind: 'built-in',
      engine: 'simulated',
      model: 'plimsoll-simulated',
      slots: 4,
      settings: { decodeMs: 20, decodeTableMs: [10, 12], tools: false },
    },
    levels: [1, 8],
    legs: ['runner', 'direct', 'null'],
    workload: { promptTokens: 300, outputTokens: 12, memoryNote: false, options: { temperature: 0, num_ctx: 2048, stop: 'a "quoted" word' } },
    slo: { ttfaMs: 500, targetRatio: 0.9, maxErrorRatio: 0.02 },
    turnDeadlineMs: 30_000,
    faults: { runnerBlockMs: 2_000, runnerDeltaMs: 3, runnerToolMs: 400, runnerToolsAtOnce: 2, runnerPoolLimit: 10, driverCap: 4, promptPool: 1 },
  },
  'a sustained load': { target: { kind: 'server', url: 'http://h:1', model: 'm' }, levels: [2, 8], load: { kind: 'sustained', spanMs: 7_500 } },
  'an open load': { target: { kind: 'server', url: 'http://h:1', model: 'm' }, load: { kind: 'open', spanMs: 4_000, ratesPerSec: [0.5, 4] } },
  'a long context': { target: { kind: 'server', url: 'http://h:1', model: 'm' }, levels: [2], workload: { kind: 'long-context' } },
  'sessions with tools': { target: { kind: 'server', url: 'http://h:1', model: 'm' }, levels: [2], workload: { kind: 'agent', outputTokens: 20 } },
  'a mix of contexts': {
    target: { kind: 'server', url: 'http://h:1', model: 'a:1b' },
    levels: [4],
    workload: {
      variants: [
        { model: 'a:1b', options: { temperature: 0, num_ctx: 1024 } },
        { model: 'b:2b', options: { temperature: 0, num_ctx: 2048 } },
      ],
    },
  },
}

test.each(Object.keys(REQUESTS))('the command that a report prints is read back to the same plan: %s', async (name) => {
  const plan = planSweep(sweepRequestSchema.parse(REQUESTS[name]), { sweepId })
  const read = readSweepFlags(await flagsOf(sweepArguments(plan)))
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const again = planSweep(read.value.withTarget(plan.request.target), { sweepId })
  expect({ ...again, request: null }).toEqual({ ...plan, request: null })
  const { wish } = read.value
  const { target } = plan.request
  if (target.kind === 'server') {
    const { kind, url, model, ...openAi } = target
    expect(wish).toEqual({ kind, url, model, ...(target.api === 'openai' ? { openAi } : {}) })
  } else expect(wish).toEqual(target)
})

test('without options the target is looked for, and the sweep finds its levels itself', () => {
  const read = readSweepFlags({})
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  expect(read.value.wish).toEqual({ kind: 'automatic', model: null })
  expect(read.value.withTarget({ kind: 'server', url: 'u', model: 'm' })).toMatchObject({
    levels: [],
    repeats: 3,
    legs: ['runner', 'null'],
  })
})

test('all faults are found in one go', () => {
  const read = readSweepFlags({ levels: '0,-1,x', repeats: 'many', legs: 'runner,sideways', engine: 'warp', slots: '0', seed: '-1', mix: 'one' })
  expect(read.ok ? [] : read.error.map(({ code }) => code)).toEqual([
    'option-invalid',
    'engine-unknown',
    'levels-invalid',
    'option-invalid',
    'legs-invalid',
    'mix-invalid',
    'option-invalid',
  ])
})

test('a running server and a built-in one exclude each other', () => {
  const read = readSweepFlags({ server: 'http://h', engine: 'llama' })
  expect(read.ok ? [] : read.error.map(({ code }) => code)).toEqual(['options-clash'])
})

test('settings of a simulation alone mean the simulated server', () => {
  const read = readSweepFlags({ sim: ['decodeMs=20'] })
  expect(read.ok && read.value.wish).toEqual({ kind: 'built-in', engine: 'simulated', model: null, slots: 1, settings: { decodeMs: 20 } })
})

test('in a mix the last part of digits alone is num_ctx, and --model names what is left out', () => {
  const read = readSweepFlags({ mix: ':1024,smollm2:135m:2048,llama3:8b', model: 'qwen3:4b' })
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const { workload } = read.value.withTarget({ kind: 'server', url: 'u', model: 'qwen3:4b' })
  expect(workload.variants?.map(({ model, options }) => [model, options.num_ctx])).toEqual([
    ['qwen3:4b', 1024],
    ['smollm2:135m', 2048],
    ['llama3:8b', undefined],
  ])
})

test('a mix that names its models needs no --model', () => {
  const read = readSweepFlags({ server: 'http://h', mix: 'a:1b:1024,b:2b:2048' })
  expect(read.ok && read.value.wish).toEqual({ kind: 'server', url: 'http://h', model: 'a:1b' })
})

test('a key typed in place of its name is refused and not repeated', () => {
  const read = readSweepFlags({ server: 'http://h', model: 'm', api: 'openai', keyEnv: 'sk-live-0123456789' })
  expect(read).toMatchObject({ ok: false, error: [{ code: 'option-invalid' }] })
  expect(JSON.stringify(read)).not.toContain('sk-live')
})

test('the usual key is named only when a key is asked for', () => {
  const wishOf = (flags: SweepFlags) => {
    const read = readSweepFlags({ server: 'http://h', model: 'm', api: 'openai', ...flags })
    return read.ok ? read.value.wish : read.error
  }
  expect(wishOf({})).toMatchObject({ openAi: { api: 'openai' } })
  expect(wishOf({})).not.toHaveProperty('openAi.keyName')
  expect(wishOf({ keyEnv: true })).toMatchObject({ openAi: { keyName: 'OPENAI_API_KEY' } })
  expect(wishOf({ priceIn: 'cheap' })).toMatchObject([{ code: 'option-invalid' }])
})

test('OpenAI’s wire needs an address and a model', () => {
  expect(readSweepFlags({ api: 'openai', model: 'm' })).toMatchObject({ ok: false, error: [{ code: 'option-missing' }] })
  expect(readSweepFlags({ api: 'openai', server: 'http://h' })).toMatchObject({ ok: false, error: [{ code: 'option-missing' }] })
})

test('a load that can’t be played is refused with all its faults', () => {
  const codesOf = (flags: SweepFlags) => {
    const read = readSweepFlags(flags)
    return read.ok ? [] : read.error.map(({ code }) => code)
  }
  expect(codesOf({ load: 'steady' })).toEqual(['load-unknown'])
  expect(codesOf({ load: 'open' })).toEqual(['option-missing'])
  expect(codesOf({ load: 'open', rates: '1,0,x' })).toEqual(['rates-invalid'])
  expect(codesOf({ load: 'open', rates: '900', span: '3600s' })).toEqual(['load-too-large'])
  expect(codesOf({ load: 'sustained', rates: '2', span: '4000s' })).toEqual(['span-too-long', 'options-clash'])
  expect(codesOf({ rates: '1,2' })).toEqual([])
})

test('a mode decides repeats, with given levels too; repeats without levels mean the levels 1, 2, 4, 8', () => {
  const requestOf = (flags: SweepFlags) => {
    const read = readSweepFlags(flags)
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    return read.value.withTarget({ kind: 'server', url: 'u', model: 'm' })
  }
  expect(requestOf({ mode: 'quick' })).toMatchObject({ mode: 'quick', levels: [] })
  expect(requestOf({ mode: 'thorough', levels: '1,4' })).toMatchObject({ mode: 'thorough', levels: [1, 4] })
  expect(requestOf({ repeats: '2' })).toMatchObject({ levels: [1, 2, 4, 8], repeats: 2 })
  expect(requestOf({ repeats: '2' }).mode).toBeUndefined()
  expect(requestOf({ maxCost: '$1.50' }).maxCostUsd).toBe(1.5)
  expect(readSweepFlags({ mode: 'swift' })).toMatchObject({ ok: false, error: [{ code: 'mode-unknown' }] })
  expect(readSweepFlags({ mode: 'quick', repeats: '2' })).toMatchObject({ ok: false, error: [{ code: 'options-clash' }] })
})
