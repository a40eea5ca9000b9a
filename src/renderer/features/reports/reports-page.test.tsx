// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { draw } from '../../testing/draw.tsx'
import { createFakeMain, fakeSweepId } from '../../testing/fake-main.ts'
import { listItem, queueSweep } from '../../testing/sweep-fixtures.ts'
import { dateText, matchingSweeps, sureText, verdictText } from './report-rows.ts'
import { ReportsPage } from './reports-page.tsx'

// happy-dom lays nothing out; the list must believe that it has a height.
const boxes = Object.getPrototypeOf(document.createElement('div'))
Object.defineProperty(boxes, 'clientHeight', { configurable: true, get: () => 600 })
Object.defineProperty(boxes, 'clientWidth', { configurable: true, get: () => 1_000 })

const INVALID = { primary: 'invalid_measurement', confidence: 'cannot-tell', sentence: 'No verdict: the load driver was the limit.' }

async function show(items: Parameters<typeof matchingSweeps>[0]) {
  const fake = createFakeMain()
  fake.list(items)
  const page = await draw(fake, <ReportsPage />)
  await page.until(() => expect(page.stores.sweepList.get().loaded).toBe(true))
  await page.until(() => expect(page.text()).toContain('Reports'))
  await page.until(() => expect(page.text()).not.toContain('Reading the list'))
  return { fake, page }
}

test('without sweeps the page says how a report comes about', async () => {
  const { page } = await show([])
  expect(page.text()).toContain('No reports. A sweep writes one when it ends or is cancelled.')
})

test('the latest sweep stands first and opens in a tab of its own', async () => {
  const { page } = await show([listItem(1), listItem(3, { simulated: true }), listItem(2)])
  await page.until(() => expect(page.all('option').map((row) => row.textContent?.[0])).toEqual(['3', '2', '1']))
  expect(page.all('option')[0]?.textContent).toContain('simulated')
  await page.click(page.find('button', 'Open'))
  expect(page.stores.layout.get().tabs.some((tab) => tab.kind === 'sweep' && tab.sweepId === fakeSweepId(3))).toBe(true)
})

test('deleting asks first, says how much would go, and does nothing when kept', async () => {
  const { fake, page } = await show([listItem(4)])
  await page.click(page.find('button', 'Delete'))
  await page.until(() => expect(page.find('dialog', 'Delete sweep 4?').textContent).toContain('Delete it and its 312 sessions'))
  await page.click(page.find('button', 'Keep it'))
  await page.until(() => expect(page.all('dialog')).toHaveLength(0))
  expect(fake.removed).toEqual([])
  await page.click(page.find('button', 'Delete'))
  await page.until(() => expect(page.all('dialog')).toHaveLength(1))
  await page.click(page.find('button', 'Delete it and its'))
  await page.until(() => expect(fake.removed).toEqual([fakeSweepId(4)]))
})

test('a sweep that runs can’t be deleted', async () => {
  const { page } = await show([listItem(5, { status: 'running', verdict: null })])
  expect(page.find('button', 'Delete').title).toContain('cancel it first')
})

test('of a thousand sweeps only the rows in sight are drawn', async () => {
  const { page } = await show(Array.from({ length: 1_000 }, (_, i) => listItem(i + 1)))
  await page.until(() => expect(page.all('option').length).toBeGreaterThan(5))
  expect(page.all('option').length).toBeLessThan(120)
})

test('seeking goes through server, model, verdict and number', () => {
  const items = [listItem(1), listItem(2, { targetLabel: 'tiny on the built-in server' }), listItem(3, { verdict: INVALID, simulated: true })]
  expect(matchingSweeps(items, 'built-in tiny').map((item) => item.number)).toEqual([2])
  expect(matchingSweeps(items, 'simulated').map((item) => item.number)).toEqual([3])
  expect(matchingSweeps(items, '  ').length).toBe(3)
})

test('a row says how the sweep ended when it did not complete', () => {
  expect(verdictText(listItem(1, { status: 'interrupted', cellsDone: 8, cellsPlanned: 21 }))).toBe(
    'The model server’s queue gives way first. Interrupted after 8 of 21 cells.',
  )
  expect(verdictText(listItem(1, { status: 'running', cellsDone: 2 }))).toBe('Running: 2 of 13 cells')
  expect(sureText(listItem(1, { verdict: INVALID }))).toBe('invalid')
})

test('a date of another year names it', () => {
  const now = new Date(2026, 10, 30).getTime()
  expect(dateText(new Date(2026, 10, 3, 9, 5).getTime(), now)).toBe('3 Nov 09:05')
  expect(dateText(new Date(2025, 0, 3, 9, 5).getTime(), now)).toBe('3 Jan 2025 09:05')
})

test('a table of another tool is judged on the spot, and Escape leads back to the list', async () => {
  const { page } = await show([])
  const table = 'n,wall_s,agg_tok_s,decode_tok_s_per_req\n1,3.1,41,42\n2,6.2,41,42.1\n4,12.5,40.8,42\n8,24.9,41.1,41.9\n'
  const picker = document.querySelector('input[type=file]')
  if (!(picker instanceof HTMLInputElement)) throw new Error('There is no field for files.')
  Object.defineProperty(picker, 'files', { value: [new File([table], 'measured.csv', { type: 'text/csv' })] })
  picker.dispatchEvent(new Event('change', { bubbles: true }))
  await page.until(() => expect(page.text()).toContain('measured.csv'))
  expect(page.text()).toContain('model server queue')
  expect(page.text()).toContain('ceiling 1')
  await page.click(page.find('button', /Back to the list/))
  await page.until(() => expect(page.text()).toContain('No reports.'))
})

test('a file that is no table says what was expected', async () => {
  const { page } = await show([])
  const picker = document.querySelector('input[type=file]')
  if (!(picker instanceof HTMLInputElement)) throw new Error('There is no field for files.')
  Object.defineProperty(picker, 'files', { value: [new File(['hello'], 'notes.txt')] })
  picker.dispatchEvent(new Event('change', { bubbles: true }))
  await page.until(() => expect(page.find('alert', 'notes.txt')).toBeDefined())
})

test('two sweeps are marked and compared: the slower one is told, with what differs', async () => {
  const { fake, page } = await show([listItem(2), listItem(1)])
  fake.feed(fakeSweepId(1), queueSweep())
  fake.feed(fakeSweepId(2), queueSweep({ tokenMs: 20 }))
  await page.click(page.find('button', /Mark to compare/))
  await page.press('ArrowDown', {}, page.find('listbox', 'Sweeps'))
  await page.click(page.find('button', /Compare with 2/))
  await page.until(() => expect(page.text()).toContain('Sweep 2 against 1'))
  await page.until(() => expect(page.text()).toContain('worse'))
  expect(page.text()).toContain('wall, mean')
})

test('a report of ours is taken back among the sweeps and opened', async () => {
  const { fake, page } = await show([])
  const picker = document.querySelector('input[type=file]')
  if (!(picker instanceof HTMLInputElement)) throw new Error('There is no field for files.')
  const html = '<!doctype html><script type="application/json" id="raw-data">{}</script>'
  Object.defineProperty(picker, 'files', { value: [new File([html], 'sweep-1.html', { type: 'text/html' })] })
  picker.dispatchEvent(new Event('change', { bubbles: true }))
  await page.until(() => expect(fake.imported).toEqual(['sweep-1.html']))
  await page.until(() => expect(page.stores.layout.get().tabs.some((tab) => tab.kind === 'sweep' && tab.sweepId === fakeSweepId(1))).toBe(true))
})
