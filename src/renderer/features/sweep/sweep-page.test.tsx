// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { problem } from '../../../core/result/problem.ts'
import type { SweepEvent } from '../../../core/sweep/sweep-event.ts'
import { type Drawing, draw } from '../../testing/draw.tsx'
import { createFakeMain, fakeSweepId } from '../../testing/fake-main.ts'
import { FOUND, listItem, queueSweep } from '../../testing/sweep-fixtures.ts'
import { SweepPage } from './sweep-page.tsx'

const id = fakeSweepId(7)

async function show(events: readonly SweepEvent[], item: Parameters<typeof listItem>[1] = {}) {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  fake.list([listItem(7, item)])
  fake.feed(id, events)
  const page = await draw(fake, <SweepPage sweepId={id} />)
  await page.until(() => expect(page.text()).toContain('Latency by sessions in flight'))
  return { fake, page }
}

const analysed = (page: Drawing) => page.until(() => expect(page.text()).not.toContain('no cell has ended yet'))

test('a finished sweep shows its verdict, its ceilings, its load line and the figures of every level', async () => {
  const { page } = await show(queueSweep({ slo: { ttfaMs: 700 }, waves: 20 }))
  await analysed(page)
  expect(page.text()).toContain('queue')
  expect(page.find('img', 'The load line is at 2 sessions.')).toBeDefined()
  expect(page.find('row', /^sessions/).textContent).toMatch(/80120240480$/)
  expect(page.find('list', 'Confidence')).toBeDefined()
  await page.until(() => expect(page.box.querySelectorAll('[data-mark="load-line"]')).toHaveLength(1))
})

test('before its sixth sample the chart says how many are missing, and there is no verdict', async () => {
  const events = queueSweep({ levels: [4, 8] })
  const third = events.flatMap((event, i) => (event.type === 'turn-ended' && event.row.cell === 1 ? [i] : []))[2] ?? 0
  const { page } = await show(events.slice(0, third + 1), { status: 'running', verdict: null })
  await page.until(() => expect(page.text()).toMatch(/N = \d: 3 of 6 samples/))
  expect(page.text()).toContain('locked while it runs')
  expect(page.find('button', 'Cancel, keep results')).toBeDefined()
})

test('nothing tested broke it: the line has no ring, and the page says how to find it', async () => {
  const { page } = await show(queueSweep({ slo: { ttfaMs: 60_000 }, waves: 20 }))
  await analysed(page)
  await page.until(() => expect(page.text()).toContain('Load line not reached: more than 8 sessions'))
  expect(page.text()).toContain('add levels: 16 and 32')
  expect(page.box.querySelectorAll('[data-mark="load-line"]')).toHaveLength(0)
})

test('no level holds: the ring stands left of the first one', async () => {
  const { page } = await show(queueSweep({ slo: { ttfaMs: 20 }, waves: 20 }))
  await analysed(page)
  await page.until(() => expect(page.text()).toContain('no level holds'))
  await page.until(() => expect(page.box.querySelectorAll('[data-mark="load-line"]')).toHaveLength(1))
})

test('a cancelled sweep keeps and shows what was measured', async () => {
  const { page } = await show(queueSweep({ endAfterCells: 6, outcome: 'cancelled' }), { status: 'cancelled' })
  await analysed(page)
  expect(page.text()).toMatch(/cancelled, \d+ of 14 cells kept/)
  expect(page.find('button', 'Repeat')).toBeDefined()
  expect(page.find('button', 'Export report')).toBeDefined()
})

test('an interrupted sweep says across the page what happened and what still holds', async () => {
  const { page } = await show(queueSweep({ endAfterCells: 6, outcome: 'interrupted' }), { status: 'interrupted' })
  await analysed(page)
  expect(page.find('status', 'interrupted').textContent).toContain('what they measured is kept')
})

test('a failed sweep says why, as an alert', async () => {
  const whole = queueSweep({ endAfterCells: 4, outcome: 'failed' })
  const gone = problem('server-unreachable', 'Ollama at 127.0.0.1:11434 gives no answer.', '', 'Start it again and repeat the sweep.')
  const events = whole.map((event) => (event.type === 'sweep-ended' ? { ...event, problem: gone } : event))
  const { page } = await show(events, { status: 'failed' })
  await analysed(page)
  expect(page.find('alert', 'failed').textContent).toContain('gives no answer')
})

test('a void cell is named with its reason, and struck out in the strip', async () => {
  const { page } = await show(queueSweep({ faults: { voidCells: [3] } }))
  await analysed(page)
  expect(page.find('button', /^Cell 4, .*void/)).toBeDefined()
  expect(page.text()).toContain('Cell 4 is void')
})

test('numbers of a simulated server are called simulated', async () => {
  const { page } = await show(queueSweep({ facts: { kind: 'plimsoll', simulated: true } }))
  expect(page.text()).toContain('simulated server')
})

test('the metric changes by choice, and the table speaks of it', async () => {
  const { page } = await show(queueSweep())
  await page.click(page.find('radio', 'done'))
  await page.until(() => expect(page.find('img', /^done by sessions/)).toBeDefined())
  expect(page.text()).toContain('done and load by level')
})

test('choosing a cell shows its last wave; choosing it again goes back', async () => {
  const { page } = await show(queueSweep())
  await analysed(page)
  await page.click(page.find('button', /^Cell \d+, N = 2, runner leg/))
  await page.until(() => expect(page.text()).toContain('N = 2, by order of service'))
  await page.click(page.find('button', /^Cell \d+, N = 2, runner leg/))
  await page.until(() => expect(page.text()).toContain('N = 8, by order of service'))
})

test('cancel reaches main; export has main write the report and says where', async () => {
  const events = queueSweep()
  const { fake, page } = await show(events.slice(0, 60), { status: 'running', verdict: null })
  await page.click(page.find('button', 'Cancel, keep results'))
  await page.until(() => expect(fake.cancelled).toEqual([id]))
  fake.feed(id, events.slice(60))
  await page.until(() => expect(page.find('button', 'Export report')).toBeDefined())
  await page.click(page.find('button', 'Export report'))
  await page.until(() => expect(fake.exported).toEqual([id]))
  await page.until(() => expect(page.stores.notices.get().passing[0]?.text).toContain('/home/ada/plimsoll-sweep.html'))
})

test('Repeat starts the same plan again', async () => {
  const { fake, page } = await show(queueSweep())
  await page.click(page.find('button', 'Repeat'))
  await page.until(() => expect(fake.started).toHaveLength(1))
  expect(fake.started[0]?.levels).toEqual([1, 2, 4, 8])
})

test('a cancelled sweep can go on, and a level can get more waves', async () => {
  const { page } = await show(queueSweep({ endAfterCells: 5, outcome: 'cancelled' }))
  await page.until(() => expect(page.find('button', /^Resume/)).toBeDefined())
  expect(page.find('button', /^More at N = \d+/)).toBeDefined()
})

test('a sweep whose plan is done has nothing to resume', async () => {
  const { page } = await show(queueSweep())
  await page.until(() => expect(page.find('button', /^Repeat/)).toBeDefined())
  expect(() => page.find('button', /^Resume/)).toThrow()
})

test('never run: one sentence and one button, the plan filled in', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const page = await draw(fake, <SweepPage sweepId={null} />)
  await page.until(() => expect(page.text()).toMatch(/Nothing measured yet\. Found smollm2:135m on Ollama 0\.11\.4: run the sweep, about .*, free\./))
  await page.click(page.find('button', 'Run concurrency sweep'))
  await page.until(() => expect(fake.started).toHaveLength(1))
})

test('a level that can’t be one stays as typed, with what was expected; a right one joins the others', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const page = await draw(fake, <SweepPage sweepId={null} />)
  await page.until(() => expect(page.text()).toContain('on until something gives way'))
  await page.click(page.find('radio', 'own'))
  await page.until(() => expect(page.find('textbox', 'Add levels')).toBeDefined())
  const field = page.find('textbox', 'Add levels')
  await page.type(field, '0,-1,x')
  await page.press('Enter', {}, field)
  expect(page.find('alert', 'below 1').textContent).toContain('Give them like this')
  expect((field as HTMLInputElement).value).toBe('0,-1,x')
  await page.type(field, '6, 12')
  await page.press('Enter', {}, field)
  await page.until(() => expect(page.stores.plan.get().request?.levels).toEqual([1, 2, 4, 6, 8, 12]))
  await page.until(() => expect(page.text()).toContain('edited, reset'))
})

test('an SLO that can’t be read is refused with a sentence and changes nothing', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const page = await draw(fake, <SweepPage sweepId={null} />)
  await page.until(() => expect(page.find('textbox', 'ttfa within')).toBeDefined())
  const field = page.find('textbox', 'ttfa within')
  await page.type(field, 'soon')
  await page.press('Enter', {}, field)
  expect(page.find('alert', 'soon').textContent).toBe('“soon” is not a number.')
  expect(page.stores.plan.get().request?.slo).toEqual({})
  await page.type(field, '1,5 s')
  await page.press('Enter', {}, field)
  expect(page.stores.plan.get().request?.slo.ttfaMs).toBe(1_500)
})

test('a sweep that main refuses to start leaves a sentence, and the plan as it was', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  fake.refuseStart(problem('model-missing', 'The model smollm2:135m is not on the server.', '', 'Choose one of those that are there.'))
  const page = await draw(fake, <SweepPage sweepId={null} />)
  await page.until(() => expect(page.text()).toContain('run the sweep'))
  await page.click(page.find('button', 'Run concurrency sweep'))
  await page.until(() => expect(page.stores.notices.get().standing[0]?.problem.code).toBe('model-missing'))
  expect(page.stores.plan.get().request).not.toBeNull()
})
