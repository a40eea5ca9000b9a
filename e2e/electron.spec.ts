/** The desktop window, for real. Runs where Electron's binary is there; elsewhere test/electron-entry.test.ts runs the same entry against a double. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, expect, test } from '@playwright/test'
import { electronBinary } from '../scripts/electron-binary.mjs'

test('the window opens, is isolated, shows the page and ends with all its children', async () => {
  const data = mkdtempSync(join(tmpdir(), 'plimsoll-electron-'))
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const app = await _electron.launch({
    executablePath: electronBinary() ?? '',
    args: [join(import.meta.dirname, '..'), ...asRoot],
    env: { ...(process.env as Record<string, string>), PLIMSOLL_DATA: data },
  })
  const window = await app.firstWindow()
  await expect(window.getByRole('button', { name: 'Run concurrency sweep' }).first()).toBeVisible()
  expect(new URL(window.url()).protocol).toBe('plimsoll:')
  expect(await window.evaluate(() => 'require' in globalThis || 'process' in globalThis)).toBe(false)
  await app.close()
  rmSync(data, { recursive: true, force: true })
})
