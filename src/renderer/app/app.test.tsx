// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { Sample } from '../../core/metric/sample.ts'
import { type Drawing, draw } from '../testing/draw.tsx'
import { createFakeMain, fakeSweepId } from '../testing/fake-main.ts'
import { FOUND, listItem, queueSweep } from '../testing/sweep-fixtures.ts'
import { App } from './app.tsx'

async function show(prepare: (fake: ReturnType<typeof createFakeMain>) => void = () => {}) {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  prepare(fake)
  const page = await draw(fake, <App />)
  await page.until(() => expect(page.stores.layout.get().loaded).toBe(true))
  return { fake, page }
}

const ready = (page: Drawing) => page.until(() => expect(page.find('button', 'Run concurrency sweep').getAttribute('aria-disabled')).toBeNull())

const sample = (atMs: number, change: Partial<Sample['runner']> = {}): Sample => ({
  atMs,
  host: {
    cpuPercent: 56,
    corePercents: [50, 62],
    memoryUsedBytes: 2.2e9,
    memoryTotalBytes: 15.6e9,
    swapUsedBytes: 0,
    psiCpuSomePercent: null,
    psiMemorySomePercent: null,
    psiIoSomePercent: null,
  },
  processes: [],
  gpus: [],
  loop: { delayP50Ms: 0.4, delayP99Ms: 41, delayMaxMs: 44, utilizationRatio: 0.1 },
  sampler: { cpuPercent: 0.4, driftMs: 1 },
  runner: { inFlight: 3, queued: 2, limit: 4, ...change },
})

test('the first start says what was found and offers the sweep against the best of it', async () => {
  const { fake, page } = await show()
  await page.until(() => expect(page.text()).toContain('Ollama 0.11.4 with one model and one agent CLI are here. That is enough for a sweep.'))
  expect(page.text()).toContain('nothing listens')
  await ready(page)
  await page.press('L', { ctrlKey: true, shiftKey: true, code: 'KeyL' })
  await page.until(() => expect(fake.started[0]?.target).toMatchObject({ model: 'smollm2:135m' }))
  await page.until(() => expect(page.stores.layout.get().tabs.some((tab) => tab.kind === 'sweep' && tab.sweepId === fakeSweepId(1))).toBe(true))
})

test('while a sweep runs the button shows how far it is and starts no second one', async () => {
  const { fake, page } = await show((main) => main.list([listItem(7, { status: 'running', verdict: null, cellsDone: 4 })]))
  await page.until(() => expect(page.find('button', 'Run concurrency sweep').textContent).toContain('5 of 13'))
  await page.click(page.find('button', 'Run concurrency sweep'))
  expect(fake.started).toEqual([])
})

test('a lost connection is said across the page and refuses the button; all comes back with it', async () => {
  const { fake, page } = await show((main) => main.list([listItem(1)]))
  await ready(page)
  fake.lose()
  await page.until(() => expect(page.find('alert', 'The connection to Plimsoll is lost.')).toBeDefined())
  expect(page.find('button', 'Run concurrency sweep').title).toContain('lost')
  fake.restore()
  await page.until(() => expect(page.all('alert')).toHaveLength(0))
  await ready(page)
})

test('places by Alt and digit; the tabs that were opened are there after a reload', async () => {
  const { fake, page } = await show()
  await page.press('4', { altKey: true, code: 'Digit4' })
  await page.until(() => expect(page.text()).toContain('No reports.'))
  await page.press('3', { altKey: true, code: 'Digit3' })
  await page.until(() => expect(page.text()).toContain('Coding jobs come with a later version'))
  await page.until(() => expect(fake.layouts.get('tabs')).toContain('jobs'))
  const again = await draw(fake, <App />)
  await again.until(() => expect(again.box.textContent).toContain('Coding jobs come with a later version'))
  expect(again.box.querySelectorAll('[role="tab"]')).toHaveLength(3)
})

test('the palette finds a command by its name and runs it; what can’t be done stays with its reason', async () => {
  const { page } = await show()
  await ready(page)
  await page.press('k', { ctrlKey: true, code: 'KeyK' })
  const field = page.find('textbox', 'What would you like to do?')
  await page.type(field, 'cancel')
  await page.until(() => expect(page.find('option', 'Cancel the sweep').textContent).toContain('no sweep runs'))
  await page.type(field, 'settings')
  await page.until(() => expect(page.all('option')).toHaveLength(1))
  await page.press('Enter', {}, field)
  await page.until(() => expect(page.text()).toContain('Every change holds at once.'))
  expect(page.all('dialog')).toHaveLength(0)
})

test('the key sheet holds the keys of the page that is shown', async () => {
  const { page } = await show((main) => {
    main.feed(fakeSweepId(7), queueSweep({ waves: 2 }))
    main.layouts.set('tabs', JSON.stringify({ tabs: [{ id: 'a', kind: 'sweep', sweepId: fakeSweepId(7) }], currentId: 'a' }))
  })
  await page.until(() => expect(page.text()).toContain('Latency by sessions in flight'))
  await page.press('?', { shiftKey: true, code: 'Slash' })
  await page.until(() => expect(page.find('dialog', /Keys/).textContent).toContain('Metric: wall'))
})

test('the strip shows what runs and what the machine does; a number over its limit says so in words', async () => {
  const { fake, page } = await show()
  fake.sample(sample(1_000))
  fake.sample(sample(1_250))
  await page.until(() => expect(page.find('button', 'Sessions').textContent).toContain('3 of 4, 2 queued'))
  expect(page.find('button', 'CPU').textContent).toContain('56 %')
  expect(page.find('button', 'Memory').textContent).toContain('2.2 of 15.6 GB')
  expect(page.find('button', 'Loop delay').textContent).toContain('41 ms, over 25')
})

test('the theme goes through system, light and dark, is kept by main and takes hold at once', async () => {
  const { fake, page } = await show()
  await page.until(() => expect(page.stores.settings.get().settings).not.toBeNull())
  await page.click(page.find('button', 'Theme: system'))
  await page.until(() => expect(document.documentElement.dataset.theme).toBe('light'))
  await page.click(page.find('button', 'Theme: light'))
  await page.until(() => expect(document.documentElement.dataset.theme).toBe('dark'))
  expect(fake.settings().theme).toBe('dark')
})

test('a page that breaks leaves the frame standing and says that nothing stored is lost', async () => {
  const { page } = await show((main) => {
    const events = queueSweep({ waves: 1 }).map((event) =>
      event.type === 'sweep-started' ? { ...event, plan: { ...event.plan, cells: event.plan.cells.slice(0, 1) } } : event,
    )
    main.feed(fakeSweepId(7), events)
    main.layouts.set('tabs', JSON.stringify({ tabs: [{ id: 'a', kind: 'sweep', sweepId: fakeSweepId(7) }], currentId: 'a' }))
  })
  // A plan that lost its cells is nonsense, yet the page must not go blank over it.
  await page.until(() => expect(page.text()).toMatch(/Latency by sessions in flight|could not be drawn/))
  expect(page.find('button', 'Run concurrency sweep')).toBeDefined()
})

test('tabs change in a browser whose scrolling answers with a promise', async () => {
  const { page } = await show()
  const known = Element.prototype.scrollIntoView
  Element.prototype.scrollIntoView = () => Promise.resolve() as never
  try {
    await page.press('1', { altKey: true, code: 'Digit1' })
    await page.press('4', { altKey: true, code: 'Digit4' })
    await page.until(() => expect(page.find('tab', 'Reports').getAttribute('aria-selected')).toBe('true'))
    expect(page.text()).not.toContain('could not be drawn')
  } finally {
    Element.prototype.scrollIntoView = known
  }
})
