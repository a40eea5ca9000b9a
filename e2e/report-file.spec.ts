/** A report as somebody gets it by mail: opened from disk, on its own. The sweep behind it is short and simulated. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Page, test } from '@playwright/test'

const program = join(import.meta.dirname, '../out/main/plimsoll.js')
let dir: string
let file: string

test.beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-report-e2e-'))
  file = join(dir, 'report.html')
  const sweep = ['sweep', '--engine', 'simulated', '--slots', '1', '--sim', 'decodeMs=4', '--levels', '1,2,4', '--repeats', '1', '--waves', '4']
  const run = spawnSync(process.execPath, [program, ...sweep, '--out', file, '--data', dir], { encoding: 'utf8', timeout: 100_000 })
  if (run.status !== 0) throw new Error(`The sweep ended with ${run.status}:\n${run.stderr}`)
})
test.afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Opens the file; the list fills with whatever goes wrong or asks for anything else. */
async function open(page: Page): Promise<string[]> {
  const faults: string[] = []
  page.on('console', (message) => faults.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`asks for ${request.url()}`)
  })
  await page.goto(pathToFileURL(file).href)
  return faults
}

test('opens from disk without an error and asks the network for nothing', async ({ page }) => {
  const faults = await open(page)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('img', { name: 'ttfa by sessions in flight' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'One wave at N = 4, lane by lane' })).toBeVisible()
  expect(await page.evaluate(() => document.fonts.ready.then(() => document.fonts.check('13px "Inter Variable"')))).toBe(true)
  expect(faults).toEqual([])
})

test('follows the system’s theme, and switches', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  const faults = await open(page)
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await paper()
  await page.getByRole('button', { name: 'Switch between dark and light' }).click()
  const dark = await paper()
  expect(dark).not.toBe(light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Switch between dark and light' }).click()
  expect(await paper()).toBe(light)
  expect(faults).toEqual([])
})

test('saves its raw data as JSON', async ({ page }) => {
  const faults = await open(page)
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save raw data (JSON)' }).click()])
  expect(download.suggestedFilename()).toMatch(/^sweep-\d+-\d{4}-\d\d-\d\d\.json$/)
  const saved = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(saved.format).toBe('plimsoll.report/1')
  expect(saved.sweep.rows.$rows.length).toBeGreaterThan(10)
  expect(faults).toEqual([])
})

test('fits a narrow screen: the page itself never scrolls sideways', async ({ page }) => {
  await page.setViewportSize({ width: 400, height: 800 })
  await open(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400)
})

test('prints on white paper, whatever the theme, without its buttons', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
  await open(page)
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)')
  await expect(page.getByRole('button', { name: 'Save raw data (JSON)' })).toBeHidden()
  const pdf = await page.pdf({ preferCSSPageSize: true })
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
  expect(pages).toBeGreaterThan(1)
  expect(pages).toBeLessThan(9)
})

test('is small, and opens at once', async ({ page }) => {
  expect(statSync(file).size).toBeLessThan(2_000_000)
  await open(page)
  const openedMs = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation')
    return entry instanceof PerformanceNavigationTiming ? entry.loadEventEnd : Number.NaN
  })
  // A second on a quiet machine; twice and a half as much on a busy one.
  expect(openedMs).toBeLessThan(2_500)
})
