import { expect, test } from 'vitest'
import { problem } from '../../core/result/problem.ts'
import { err, ok } from '../../core/result/result.ts'
import type { ServerFacts } from '../../core/sweep/target.ts'
import { createTargets, type TargetDeps } from './targets.ts'

const factsOf = (url: string, model: string) => ({ url, model, pid: null }) as ServerFacts

function setUp(change: Partial<TargetDeps> = {}) {
  let stopped = 0
  const asked: unknown[] = []
  const deps: TargetDeps = {
    readServerFacts: async (url, model) => ok(factsOf(url, model)),
    residentModels: async () => ok([{ name: 'resident' }]),
    answersOpenAi: async () => ok(undefined),
    watchGauges: () => ({ latest: () => undefined, close() {} }),
    readKey: (name) => (name === 'MY_KEY' ? ok('sk-secret') : err(problem('key-missing', 'None.', '', ''))),
    startBuiltIn: async (wanted) => {
      asked.push(wanted)
      return ok({ url: 'http://127.0.0.1:9', pid: 77, info: { models: ['plimsoll-mid'] }, stop: async () => void stopped++ })
    },
    ...change,
  }
  return { deps, asked, stopped: () => stopped }
}

test('a server that stands is read, and left alone at the end', async () => {
  const { deps, asked } = setUp()
  const target = await createTargets(deps).start({ kind: 'server', url: 'http://127.0.0.1:11434', model: 'm' })
  expect(target).toMatchObject({ ok: true, value: { url: 'http://127.0.0.1:11434', facts: { model: 'm' } } })
  if (target.ok) await target.value.stop()
  expect(asked).toEqual([])
})

test('a built-in one is started with its slots and settings, read by its own model’s name, known by its process, and stopped at the end', async () => {
  const { deps, asked, stopped } = setUp()
  const target = await createTargets(deps).start({ kind: 'built-in', engine: 'llama', model: '', slots: 4, settings: { threads: 1 } })
  expect(asked).toEqual([{ engine: 'llama', slots: 4, settings: { threads: 1 } }])
  expect(target).toMatchObject({ ok: true, value: { url: 'http://127.0.0.1:9', facts: { model: 'plimsoll-mid', pid: 77 } } })
  if (target.ok) await target.value.stop()
  expect(stopped()).toBe(1)
})

test('a built-in one that can’t be read is stopped again', async () => {
  const { deps, stopped } = setUp({ readServerFacts: async () => err(problem('x', 'X.', '', '')) })
  expect(await createTargets(deps).start({ kind: 'built-in', engine: 'null', model: 'null', slots: 0, settings: {} })).toMatchObject({ ok: false })
  expect(stopped()).toBe(1)
})

test('a server on OpenAI’s wire has its key with it, and not in its facts; while it answers, its model counts as there', async () => {
  const { deps } = setUp()
  const targets = createTargets(deps)
  const target = await targets.start({ kind: 'server', url: 'http://127.0.0.1:8080', model: 'm', api: 'openai', keyName: 'MY_KEY' })
  expect(target).toMatchObject({ ok: true, value: { wire: { api: 'openai', keyName: 'MY_KEY', key: 'sk-secret' } } })
  expect(target.ok && JSON.stringify(target.value.facts)).not.toContain('sk-secret')
  expect(await targets.residentModels('http://127.0.0.1:8080')).toEqual(ok(['m']))
  expect(await targets.residentModels('http://127.0.0.1:11434')).toEqual(ok(['resident']))
  if (target.ok) await target.value.stop()
  expect(await targets.residentModels('http://127.0.0.1:8080')).toEqual(ok(['resident']))
})

test('without its key no sweep begins', async () => {
  const target = await createTargets(setUp().deps).start({ kind: 'server', url: 'http://h', model: 'm', api: 'openai', keyName: 'OTHER' })
  expect(target).toMatchObject({ ok: false, error: { code: 'key-missing' } })
})

test('a server that tells its queue is watched while it stands', async () => {
  let closed = 0
  const gauges = { running: 4, waiting: 2, kvCacheRatio: null, preemptions: null }
  const { deps } = setUp({
    readServerFacts: async (url, model) => ok({ ...factsOf(url, model), gauges: 'metrics' }),
    watchGauges: () => ({ latest: () => gauges, close: () => void closed++ }),
  })
  const targets = createTargets(deps)
  expect(targets.gauges()).toBeUndefined()
  const target = await targets.start({ kind: 'server', url: 'http://h', model: 'm', api: 'openai' })
  expect(targets.gauges()).toEqual(gauges)
  if (target.ok) await target.value.stop()
  expect([targets.gauges(), closed]).toEqual([undefined, 1])
})

test('M13: a server elsewhere that wants a key is not swept before its price is known', async () => {
  const start = async (url: string, price?: { inputUsd: number; outputUsd: number }) => {
    const openAi = { kind: 'server', model: 'm', api: 'openai', keyName: 'MY_KEY' } as const
    const target = await createTargets(setUp().deps).start({ ...openAi, url, ...(price === undefined ? {} : { price }) })
    return target.ok ? 'ok' : target.error.code
  }
  expect(await start('https://api.example.com/v1')).toBe('price-missing')
  expect(await start('http://101.2.3.4:8000')).toBe('price-missing')
  expect(await start('https://api.example.com/v1', { inputUsd: 0, outputUsd: 0 })).toBe('ok')
  for (const near of ['http://127.0.0.1:8000', 'localhost:1234', 'http://192.168.1.7:8080', 'http://[::1]:8000', 'http://box.local:8000']) {
    expect([near, await start(near)]).toEqual([near, 'ok'])
  }
})
