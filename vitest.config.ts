/** Unit and integration tests. Files that end in .real.test.ts talk to real servers and run one after another, apart from the rest. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/build-when-stale.ts'],
    // The report's style is text that it embeds, so it must come through as it is; the page's style needs no processing in tests.
    css: { include: [/services\/report\//, /resources\/tokens/] },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts', 'scripts/**/*.test.ts'], exclude: ['**/*.real.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'real',
          include: ['src/**/*.real.test.ts', 'test/**/*.real.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      // Started by `npm run truth` alone.
      { extends: true, test: { name: 'truth', include: ['test/truth-battery/*.truth.ts'], fileParallelism: false, testTimeout: 180_000 } },
    ],
  },
})
