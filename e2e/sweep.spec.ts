/** The main journey: one click, a chart that fills, a verdict, a second sweep cancelled with its data kept, a report that opens from disk. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, test } from './support/host.ts'

const SWEEP_LIMIT_MS = 240_000

const sweepButton = (page: Page) =>
  page
    .getByRole('banner')
    .or(page.locator('header'))
    .getByRole('button', { name: /Run concurrency sweep/ })
    .first()
const verdict = (page: Page) => page.getByRole('complementary', { name: 'Verdict' })
const chart = (page: Page) =>
  page
    .getByRole('region', { name: 'Live chart' })
    .getByRole('img', { name: /p50|ttfa/i })
    .first()

test('one click runs the sweep: the chart fills and the verdict appears', async ({ page }) => {
  test.setTimeout(SWEEP_LIMIT_MS + 30_000)
  await page.goto('/')
  await sweepButton(page).click()
  await expect(page.getByRole('list', { name: 'Cells in the order of running' })).toBeVisible()
  const emptyLength = (await chart(page).innerHTML()).length
  await expect.poll(async () => (await chart(page).innerHTML()).length, { timeout: 90_000 }).toBeGreaterThan(emptyLength + 500)
  await expect(page.getByRole('button', { name: 'Export report' })).toBeVisible({ timeout: SWEEP_LIMIT_MS })
  await expect(verdict(page)).toContainText(/sessions?/)
  await expect(verdict(page)).not.toContainText('Too early')
})

test('a second sweep is cancelled midway and keeps what was measured', async ({ page }) => {
  test.setTimeout(120_000)
  await page.goto('/')
  await sweepButton(page).click()
  await expect(page.getByRole('button', { name: /Cancel, keep results/ })).toBeVisible()
  await expect(verdict(page)).toContainText(/after [1-9]\d* cell/, { timeout: 60_000 })
  await page.keyboard.press('Escape')
  await expect(page.getByText(/cancelled/i).first()).toBeVisible({ timeout: 20_000 })
  await expect(verdict(page)).toContainText(/[1-9]\d* cells?, [1-9]\d* sessions/)
  const kept = await verdict(page).textContent()

  await page.reload()
  await expect(page.getByText(/cancelled/i).first()).toBeVisible()
  await expect.poll(() => verdict(page).textContent()).toBe(kept)
})

test('the report is exported and opens from disk without the network', async ({ page, context }, info) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Reports' }).click()
  await page.getByRole('option').first().click()
  const download = page.waitForEvent('download')
  await page
    .getByRole('button', { name: /^Export/ })
    .first()
    .click()
  const path = info.outputPath('report.html')
  await (await download).saveAs(path)
  expect(readFileSync(path, 'utf8')).not.toMatch(/(?:src|href)="https?:/)

  const report = await context.newPage()
  const faults: string[] = []
  report.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  report.on('pageerror', (error) => faults.push(error.message))
  report.on('request', (request) => request.url().startsWith('http') && faults.push(request.url()))
  await report.goto(`file://${path}`)
  await expect(report.getByRole('heading').first()).toBeVisible()
  expect(faults).toEqual([])
})
