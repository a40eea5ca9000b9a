/**
 * `npm test`: installs what is missing, builds, then check, unit tests, tests against real servers, browser journeys.
 * Ends with one line "N passed, N failed". `--only check,unit,real,e2e` runs a part.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installWhenMissing, root } from './install-when-missing.mjs'

installWhenMissing()

const { buildWhenStale } = await import('./build-when-stale.mjs')
const { findOrInstallChromium } = await import('./chromium.mjs')
const { findOrBuildOllama } = await import('./ollama.mjs')
const { runChecks } = await import('./check.mjs')

const onlyAt = process.argv.indexOf('--only')
const parts = onlyAt === -1 ? ['check', 'unit', 'real', 'e2e'] : (process.argv[onlyAt + 1] ?? '').split(',')
const scratch = mkdtempSync(join(tmpdir(), 'plimsoll-test-'))
const total = { passed: 0, failed: 0, skipped: 0 }
const leftOut = []

function count(name, result, seconds) {
  total.passed += result.passed
  total.failed += result.failed
  total.skipped += result.skipped
  console.log(`${name}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped (${seconds.toFixed(0)} s)`)
}

/** Runs a test runner with a JSON report; a runner that ends without a report counts as one failure. */
function runWithReport(name, script, args, env, read) {
  const began = performance.now()
  const file = join(scratch, `${name}.json`)
  const run = spawnSync(process.execPath, [join(root, script), ...args(file)], {
    cwd: root,
    stdio: ['ignore', 1, 2],
    env: { ...process.env, ...env(file) },
  })
  let result
  try {
    result = read(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    result = { passed: 0, failed: 1, skipped: 0 }
  }
  if (run.status !== 0 && result.failed === 0) result.failed = 1
  count(name, result, (performance.now() - began) / 1000)
}

const vitest = (project) =>
  runWithReport(
    project,
    'node_modules/vitest/vitest.mjs',
    (file) => ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    () => ({}),
    (report) => ({ passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests + report.numTodoTests }),
  )

const playwright = (chromium) =>
  runWithReport(
    'e2e',
    'node_modules/@playwright/test/cli.js',
    () => ['test', '--reporter=list,json'],
    (file) => ({ PLIMSOLL_CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: file }),
    ({ stats }) => ({ passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }),
  )

async function main() {
  buildWhenStale()
  if (parts.includes('check')) {
    const began = performance.now()
    count('check', await runChecks(), (performance.now() - began) / 1000)
  }
  if (parts.includes('unit') || parts.includes('real')) {
    const chromium = await findOrInstallChromium()
    if ('path' in chromium) process.env.PLIMSOLL_CHROMIUM = chromium.path
  }
  if (parts.includes('unit')) vitest('unit')
  if (parts.includes('real')) {
    const ollama = await findOrBuildOllama({ say: (line) => console.log(line) })
    if ('path' in ollama) process.env.PLIMSOLL_OLLAMA = ollama.path
    else leftOut.push(`The tests against a real Ollama were left out: ${ollama.reason}.`)
    vitest('real')
  }
  if (parts.includes('e2e')) {
    const chromium = await findOrInstallChromium()
    if ('path' in chromium) playwright(chromium.path)
    else leftOut.push(`The browser journeys were left out: ${chromium.reason}.`)
  }
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  total.failed += 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
for (const line of leftOut) console.log(line)
if (total.skipped > 0) console.log(`${total.skipped} skipped`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)
