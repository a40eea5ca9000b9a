/**
 * `npm run truth`: the truth battery. Configurations with a known cause, through the real driver and runner; prints the table, keeps it in
 * docs/truth-battery.md and exits 1 when a bound is missed. `npm run truth -- queue provider-429` (or `--only`) plays those whose names begin so, and
 * keeps nothing. `--list` names them all, `--json` prints all results as one JSON line at the end. Wants a quiet machine and ten minutes.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildWhenStale } from './build-when-stale.mjs'
import { installWhenMissing, root } from './install-when-missing.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true, default: [] }, list: { type: 'boolean' }, json: { type: 'boolean' } },
})
const names = [...positionals, ...values.only.flatMap((text) => text.split(','))]

installWhenMissing()
buildWhenStale()
const env = {
  ...process.env,
  PLIMSOLL_TRUTH_ONLY: names.join(','),
  PLIMSOLL_TRUTH_LIST: values.list ? '1' : '',
  PLIMSOLL_TRUTH_JSON: values.json ? '1' : '',
  PLIMSOLL_TRUTH_OUT: names.length === 0 && !values.list ? join(root, 'docs/truth-battery.md') : '',
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const run = spawnSync(process.execPath, [vitest, 'run', '--project', 'truth', '--reporter', 'dot', '--disable-console-intercept'], {
  cwd: root,
  env,
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
