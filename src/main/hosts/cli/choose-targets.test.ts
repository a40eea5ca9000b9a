import { expect, test } from 'vitest'
import { problem } from '../../../core/result/problem.ts'
import { chooseTargets } from './choose-targets.ts'
import type { FoundServer } from './cli-app.ts'

const ollama: FoundServer = { label: 'Ollama 0.11.4', url: 'http://127.0.0.1:11434', models: ['smollm2:135m', 'qwen3:4b'], problem: null }
const dead: FoundServer = { ...ollama, models: [], problem: problem('server-unreachable', 'Nothing listens.', '', '') }
const automatic = { kind: 'automatic', model: null } as const

async function targetsOf(wish: Parameters<typeof chooseTargets>[0], servers: readonly FoundServer[]) {
  const chosen = await chooseTargets(wish, async () => servers)
  return chosen.ok ? chosen.value.map(({ target }) => target) : chosen.error.code
}

test('an Ollama with a model comes first, with the model that suits best', async () => {
  expect(await targetsOf(automatic, [ollama])).toEqual([{ kind: 'server', url: ollama.url, model: 'smollm2:135m' }])
})

test('without one the built-in llama is measured, and behind it stands the simulated server; the reason is said', async () => {
  const chosen = await chooseTargets(automatic, async () => [dead])
  if (!chosen.ok) throw new Error(chosen.error.happened)
  expect(chosen.value.map(({ target }) => target.kind === 'built-in' && target.engine)).toEqual(['llama', 'simulated'])
  expect(chosen.value[0]?.why).toContain('No Ollama answers at http://127.0.0.1:11434')
})

test('an Ollama without models is said to have none', async () => {
  const chosen = await chooseTargets(automatic, async () => [{ ...ollama, models: [] }])
  expect(chosen.ok && chosen.value[0]?.why).toContain('Ollama 0.11.4 at http://127.0.0.1:11434 has no model')
})

test('a model that the Ollama here lacks is asked of it all the same, so that its own answer is shown', async () => {
  expect(await targetsOf({ kind: 'automatic', model: 'phi' }, [ollama])).toEqual([{ kind: 'server', url: ollama.url, model: 'phi' }])
})

test('a named server without a named model is measured with its best one', async () => {
  expect(await targetsOf({ kind: 'server', url: 'http://box:11434', model: null }, [ollama])).toEqual([
    { kind: 'server', url: 'http://box:11434', model: 'smollm2:135m' },
  ])
  expect(await targetsOf({ kind: 'server', url: 'http://box:11434', model: null }, [dead])).toBe('server-unreachable')
  expect(await targetsOf({ kind: 'server', url: 'http://box:11434', model: null }, [{ ...ollama, models: [] }])).toBe('model-missing')
})

test('what is named in full is not looked for', async () => {
  const chosen = await chooseTargets({ kind: 'server', url: 'http://h', model: 'm' }, () => Promise.reject(new Error('asked')))
  expect(chosen.ok && chosen.value).toHaveLength(1)
})
