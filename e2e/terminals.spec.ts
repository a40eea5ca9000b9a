/** A real shell in the page: open, type, read; split; reload and find everything again; chat with a built-in model. */
import { expect, test } from './support/host.ts'

const rows = '.xterm-rows'

test('a shell opens, echoes what is typed, and is still there after a reload', async ({ page }) => {
  await page.goto('/')
  await page
    .getByRole('link', { name: 'Terminals' })
    .or(page.getByRole('button', { name: 'Terminals' }))
    .first()
    .click()
  await page.getByRole('button', { name: 'Open a shell' }).click()
  await page.locator('.xterm-helper-textarea').first().waitFor()
  await page.keyboard.type('echo plim"soll"-$((40+2))\n')
  await expect(page.locator(rows).first()).toContainText('plimsoll-42')

  await page.reload()
  await expect(page.locator(rows).first()).toContainText('plimsoll-42')
  await page.locator('.xterm').first().click()
  await page.keyboard.type('echo still-$((1+1))-here\n')
  await expect(page.locator(rows).first()).toContainText('still-2-here')
})

test('a pane splits, the focus moves by key, and closing a pane ends its process', async ({ page }) => {
  await page.goto('/')
  await page.locator('.xterm').first().waitFor()
  await page.locator('.xterm').first().click()
  await page.keyboard.press('Control+Shift+D')
  await expect(page.locator('[data-pane="terminal"]')).toHaveCount(2)
  await expect(page.locator('.xterm-helper-textarea').nth(1)).toBeFocused()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(page.locator('.xterm-helper-textarea').first()).toBeFocused()
  await page.keyboard.press('Alt+ArrowRight')
  await page.keyboard.press('Control+Shift+X')
  await page.getByRole('button', { name: 'Close, end its processes' }).click()
  await expect(page.locator('[data-pane="terminal"]')).toHaveCount(1)
})

test('a chat with the built-in model answers and shows where its time went', async ({ page }) => {
  await page.goto('/')
  // By mouse: a key that comes before the page listens is nobody's.
  await page.getByRole('button', { name: 'New tab' }).click()
  await page.getByRole('button', { name: 'New chat' }).click()
  await page
    .getByRole('menuitem', { name: /built-in/i })
    .first()
    .click()
  const prompt = page.getByRole('textbox', { name: 'Message' })
  await prompt.fill('Name three ships.')
  await prompt.press('Enter')
  const turn = page.getByRole('article', { name: /Name three ships/ })
  await expect(turn).toHaveAttribute('data-state', 'done', { timeout: 60_000 })
  await expect(turn.getByRole('img', { name: /Time of this turn/ })).toBeVisible()
  await expect(turn).toContainText('first model request')

  await page.reload()
  await expect(page.getByRole('article', { name: /Name three ships/ })).toHaveAttribute('data-state', 'done')
})
