// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { TuneState } from '../../../core/sweep/tune.ts'
import { draw } from '../../testing/draw.tsx'
import { createFakeMain } from '../../testing/fake-main.ts'
import { FOUND } from '../../testing/sweep-fixtures.ts'
import { MachinePage } from './machine-page.tsx'

const figures = (tokensPerSec: number) => ({
  n: 8,
  tokensPerSec: { value: tokensPerSec, low: tokensPerSec, high: tokensPerSec },
  ttfaMs: { value: 410, low: 400, high: 420 },
  decodeTokensPerSec: 77,
  heldRatio: 1,
  sessions: 24,
  failures: 0,
  slotsInUse: 1,
  memoryBytes: 200_000_000,
  vramBytes: null,
  contextBytes: null,
})

const DONE: TuneState = {
  status: 'done',
  label: 'mid on a private Ollama',
  setting: 'OLLAMA_NUM_PARALLEL',
  trials: [1, 2].map((slots) => ({ slots, status: 'done', sweepId: null, figures: figures(77), problem: null })),
  advice: { slots: 1, engineIsLimit: true, sentence: 'Set 1: more slots move nothing.', notes: ['The engine is the limit.'] },
  problem: null,
}

test('the button tunes the target of the plan, and the recommendation stands beside what was measured', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const page = await draw(fake, <MachinePage />)
  await page.until(() => expect(page.text()).toContain('Your own server is not touched'))
  await page.until(() => expect(page.stores.plan.get().request).not.toBeNull())
  await page.click(page.find('button', /Tune the slots/))
  await page.until(() => expect(fake.tuned).toHaveLength(1))
  expect(fake.tuned[0]).toMatchObject({ target: { kind: 'ollama', model: 'smollm2:135m' }, slots: [1, 2, 4] })
  fake.tune(DONE)
  await page.until(() => expect(page.text()).toContain('Set 1: more slots move nothing.'))
  expect(page.text()).toContain('OLLAMA_NUM_PARALLEL')
})

test('while it runs it can be stopped, and a server that failed says why', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const page = await draw(fake, <MachinePage />)
  fake.tune({
    ...DONE,
    status: 'running',
    advice: null,
    trials: [
      { slots: 1, status: 'failed', sweepId: null, figures: null, problem: { code: 'x', happened: 'It did not start.', expected: '', todo: '' } },
    ],
  })
  await page.until(() => expect(page.find('button', /Stop, keep what was measured/)).toBeDefined())
  expect(page.text()).toContain('It did not start.')
})
