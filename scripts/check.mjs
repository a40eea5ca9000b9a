/** `npm run check`: format and lint, types of every side, who may import whom, unused code. Each is one check that passes or fails. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installWhenMissing, root } from './install-when-missing.mjs'

/** Fewer modules than this and the direction check saw the wrong tree, so its "no violations" is worth nothing. */
const FEWEST_MODULES = 300

const bin = (path) => join(root, 'node_modules', path)
const run = (script, args) => spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })

function biome() {
  const { status, stdout, stderr } = run(bin('@biomejs/biome/bin/biome'), ['check', '--error-on-warnings', '--max-diagnostics=50', '.'])
  return status === 0 ? null : stdout + stderr
}

function types(side) {
  const { status, stdout, stderr } = run(bin('typescript-7/bin/tsc'), ['-p', `tsconfig.${side}.json`])
  return status === 0 ? null : stdout + stderr
}

function direction() {
  const { stdout, stderr } = run(bin('dependency-cruiser/bin/dependency-cruise.mjs'), [
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'src',
  ])
  let result
  try {
    result = JSON.parse(stdout)
  } catch {
    return `dependency-cruiser gave no result.\n${stderr}`
  }
  const { totalCruised, violations } = result.summary
  if (totalCruised < FEWEST_MODULES)
    return `The direction check saw ${totalCruised} modules; it must see at least ${FEWEST_MODULES}. Is the parser set right?`
  const bad = violations.filter((v) => v.rule.severity === 'error')
  return bad.length === 0 ? null : bad.map((v) => `${v.rule.name}: ${v.from} → ${v.to}`).join('\n')
}

function unused() {
  const { status, stdout, stderr } = run(bin('knip/bin/knip.js'), ['--no-progress'])
  return status === 0 ? null : stdout + stderr
}

const CHECKS = [
  ['format and lint', biome],
  ...['core', 'main', 'preload', 'renderer', 'test'].map((side) => [`types of ${side}`, () => types(side)]),
  ['direction of imports', direction],
  ['unused files, exports and dependencies', unused],
]

/** @returns {Promise<{passed: number, failed: number, skipped: number}>} */
export async function runChecks() {
  const result = { passed: 0, failed: 0, skipped: 0 }
  for (const [name, check] of CHECKS) {
    const fault = check()
    console.log(`${fault === null ? '✓' : '✗'} ${name}`)
    if (fault !== null) console.log(fault)
    result[fault === null ? 'passed' : 'failed'] += 1
  }
  return result
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  installWhenMissing()
  const { passed, failed } = await runChecks()
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
