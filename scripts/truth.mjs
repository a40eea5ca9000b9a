/**
 * `npm run truth`: the truth battery. Configurations with a known cause, through the real driver and runner; prints the table, keeps it in
 * docs/truth-battery.md and exits 1 when a bound is missed. `npm run truth -- queue provider-429` plays those whose names begin so, and keeps nothing.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildWhenStale } from './build-when-stale.mjs'
import { installWhenMissing, root } from './install-when-missing.mjs'

installWhenMissing()
buildWhenStale()
const env = { ...process.env, PLIMSOLL_TRUTH_ONLY: process.argv.slice(2).join(','), PLIMSOLL_TRUTH_OUT: join(root, 'docs/truth-battery.md') }
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const run = spawnSync(process.execPath, [vitest, 'run', '--project', 'truth', '--reporter', 'dot', '--disable-console-intercept'], {
  cwd: root,
  env,
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
