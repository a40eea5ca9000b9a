/** Browser journeys against the web host; the same page in Electron's window where its binary is there. */
import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'
import { electronBinary } from './scripts/electron-binary.mjs'

const chromium = process.env.PLIMSOLL_CHROMIUM ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined)
/** Chromium has no sandbox for root. */
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export default defineConfig({
  testDir: 'e2e',
  timeout: 120_000,
  expect: { timeout: 15_000 },
  // Journeys measure: two at once would measure each other.
  workers: 1,
  fullyParallel: false,
  reporter: 'list',
  outputDir: 'out/e2e',
  use: { trace: 'retain-on-failure', screenshot: 'only-on-failure', viewport: { width: 1440, height: 900 } },
  projects: [
    {
      name: 'web',
      testIgnore: 'electron.spec.ts',
      use: {
        browserName: 'chromium',
        launchOptions: {
          ...(chromium === undefined ? {} : { executablePath: chromium }),
          args: [...asRoot, '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
        },
      },
    },
    ...(electronBinary() === null ? [] : [{ name: 'electron', testMatch: 'electron.spec.ts' }]),
  ],
})
