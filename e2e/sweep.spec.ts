/** The main journey: one click, a chart that fills, a verdict, a second sweep cancelled with its data kept, a report that opens from disk. */
import { readFileSync } from 'node:fs'
import { expect, test } from './support/host.ts'

test('one click runs the sweep: the chart fills and the verdict appears', async ({ page }) => {
  test.setTimeout(240_000)
  await page.goto('/')
  await page.getByRole('button', { name: 'Run concurrency sweep' }).click()
  await expect(page.getByRole('list', { name: /cells in their/i })).toBeVisible()
  await expect(page.locator('[data-chart="load-line"] [data-series="sessions"] circle').first()).toBeVisible({ timeout: 60_000 })
  await expect(page.locator('[data-verdict]')).toHaveAttribute(
    'data-verdict',
    /^(model_server_queue|model_server_engine|hardware|none_reached|inconclusive)$/,
    { timeout: 200_000 },
  )
})

test('a second sweep is cancelled midway and keeps what was measured', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Run concurrency sweep' }).click()
  await expect(page.locator('[data-cell-status="done"]').first()).toBeVisible({ timeout: 60_000 })
  await page.keyboard.press('Escape')
  await expect(page.getByText(/cancelled/i).first()).toBeVisible({ timeout: 20_000 })
  await page.reload()
  await expect(page.getByText(/cancelled/i).first()).toBeVisible()
})

test('the report is exported and opens from disk without the network', async ({ page, context }, info) => {
  await page.goto('/')
  await page
    .getByRole('link', { name: 'Reports' })
    .or(page.getByRole('button', { name: 'Reports' }))
    .first()
    .click()
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
