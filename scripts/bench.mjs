/**
 * `npm run bench`: the speed that is promised, measured here, against its bound. Prints a line an item and exits 1 when one is over.
 * Needs a quiet machine; what else runs is measured too. `npm run bench -- clock null start` runs a part.
 * Where AIPerf or GuideLLM is on the PATH it runs them on the same server, and prints their figures beside ours.
 */
import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { buildWhenStale } from './build-when-stale.mjs'
import { installWhenMissing, root } from './install-when-missing.mjs'

const scratch = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'))
const cli = join(root, 'out/main/plimsoll.js')
const rows = []

const round = (value) => (value === null || value === undefined ? '–' : value >= 100 ? value.toFixed(0) : value.toFixed(1))
const rank = (values, share) => values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)]

/** @param bound the largest value that is promised; null = told for comparison only */
function tell(item, value, unit, bound) {
  rows.push({ item, value, unit, bound })
  const verdict = bound === null ? '' : value <= bound ? `within ${bound} ${unit}` : `OVER ${bound} ${unit}`
  console.log(`${item.padEnd(66)} ${round(value).padStart(8)} ${unit.padEnd(4)} ${verdict}`)
}

function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** CPU seconds of a command and of all that it waited for, and what it printed. */
function timed(command, args, options = {}) {
  const run = spawnSync('bash', ['-c', 'TIMEFORMAT="CPU %U %S"; time "$0" "$@"', command, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  })
  const [, user, system] = /CPU ([\d.]+) ([\d.]+)\s*$/.exec(run.stderr) ?? []
  return { status: run.status, stdout: run.stdout, stderr: run.stderr, cpuSec: Number(user) + Number(system) }
}

async function library() {
  const { build } = await import('vite')
  const outDir = join(root, 'out', 'bench')
  const output = { format: 'es', entryFileNames: 'bench.mjs' }
  const ssr = join(root, 'scripts/bench-library.ts')
  await build({ root, configFile: false, logLevel: 'error', build: { ssr, outDir, emptyOutDir: false, target: 'node20', rollupOptions: { output } } })
  return import(join(outDir, 'bench.mjs'))
}

async function startControl() {
  const args = [
    cli,
    'model-server',
    '--engine',
    'null',
    '--port',
    '0',
    '--sim',
    'prefillMs=50',
    '--sim',
    'tokensPerSec=100',
    '--sim',
    'answerTokens=64',
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const found = /listens on (\S+)/.exec(text)?.[1]
      if (found) resolve(found)
    })
  })
  return { url, stop: () => child.kill() }
}

function sweep(args, data = join(scratch, 'data')) {
  const report = join(scratch, `report-${rows.length}.html`)
  const run = timed(process.execPath, [cli, 'sweep', '--data', data, '--out', report, '--json', ...args])
  if (run.status !== 0) throw new Error(`The sweep ended with ${run.status}:\n${run.stderr.slice(-2000)}`)
  return { ...JSON.parse(run.stdout), report, cpuSec: run.cpuSec }
}

/** M10: what Plimsoll adds to a turn. */
function nullLeg() {
  const at64 = sweep(['--engine', 'null', '--legs', 'null', '--levels', '64', '--repeats', '3', '--waves', '8'])
  const level = at64.levels.find((one) => one.leg === 'null' && one.n === 64)
  tell('null leg, N = 64: ttfa p50', level.ttfaMs.p50, 'ms', 10)
  tell('null leg, N = 64: ttfa p99', level.ttfaMs.p99, 'ms', 60)
  tell('null leg, N = 64: failures', level.failures, '', 0)
  tell('null leg, N = 64: CPU of all processes, start and report included', at64.cpuSec, 's', null)
  const at256 = sweep(['--engine', 'null', '--legs', 'null', '--levels', '256', '--repeats', '1', '--waves', '4'])
  tell('null leg, N = 256: failures', at256.levels.find((one) => one.n === 256).failures, '', 0)
}

/** Its clock against the server's own log. */
async function clock({ rowsOfReport }) {
  const control = await startControl()
  try {
    const args = ['--server', control.url, '--model', 'plimsoll-null', '--legs', 'direct', '--levels', '256', '--repeats', '1']
    const play = (waves) => sweep([...args, '--waves', String(waves), '--output-tokens', '64', '--seed', '11'])
    const log = async () => (await (await fetch(`${control.url}/plimsoll/log`)).json()).requests
    // A sweep warms its own code, but the server is a stranger to it: a first one compiles that.
    play(4)
    const before = (await log()).length
    const run = play(8)
    const said = new Map((await log()).slice(before).map((request) => [request.callId, request.firstTokenMs - request.arrivalMs]))
    const measured = rowsOfReport(readFileSync(run.report, 'utf8')).filter((row) => said.has(row.call))
    const ours = measured.map((row) => row.ttftMs)
    const theirs = measured.map((row) => said.get(row.call))
    tell(`direct leg, N = 256: ttft p50 over the log’s ${round(rank(theirs, 0.5))} ms`, rank(ours, 0.5) - rank(theirs, 0.5), 'ms', 1)
    tell(`direct leg, N = 256: ttft p99 over the log’s ${round(rank(theirs, 0.99))} ms`, rank(ours, 0.99) - rank(theirs, 0.99), 'ms', 10)
    tell(`direct leg, N = 256: CPU for ${measured.length} requests, start and report included`, run.cpuSec, 's', null)
    peers(control.url)
  } finally {
    control.stop()
  }
}

function peers(url) {
  const shared = { cwd: scratch, timeout: 600_000 }
  if (onPath('aiperf')) {
    const args = [
      'profile',
      '--model',
      'plimsoll-null',
      '--url',
      url,
      '--endpoint-type',
      'chat',
      '--streaming',
      '--concurrency',
      '256',
      '--request-count',
      '2048',
    ]
    const run = timed('aiperf', args, shared)
    console.log(
      run.stdout
        .split('\n')
        .filter((line) => /Time to First Token/i.test(line))
        .join('\n'),
    )
    tell('AIPerf, 256 streams, 2,048 requests: CPU', run.cpuSec, 's', null)
  } else console.log('AIPerf is not on the PATH: left out.')
  if (onPath('guidellm')) {
    const args = [
      'benchmark',
      '--target',
      url,
      '--profile',
      'concurrent',
      '--rate',
      '256',
      '--max-requests',
      '2048',
      '--data',
      'prompt_tokens=60,output_tokens=64',
    ]
    const run = timed('guidellm', args, shared)
    console.log(
      run.stdout
        .split('\n')
        .filter((line) => /TTFT/i.test(line))
        .join('\n'),
    )
    tell('GuideLLM, 256 streams, 2,048 requests: CPU', run.cpuSec, 's', null)
  } else console.log('GuideLLM is not on the PATH: left out.')
}

/** 500 sessions in flight at 20 tokens/s each. */
function sessions() {
  const run = spawnSync(process.execPath, [join(root, 'scripts/bench-runner.mjs'), 'stream'], { encoding: 'utf8' })
  const result = JSON.parse(run.stdout.trim().split('\n').at(-1))
  tell(
    'runner, 500 sessions × 20 tokens/s: failures',
    Object.values(result.failures).reduce((a, b) => a + b, 0),
    '',
    0,
  )
  tell('runner, 500 sessions × 20 tokens/s: main loop in use', result.runner.loopUtilization * 100, '%', 70)
  tell('runner, 500 sessions × 20 tokens/s: CPU of main', result.runner.cpuPercent, '%', null)
}

/** 100,000 rows, and a standard sweep's report. */
function analysis({ analyseRows, standardReport }) {
  const large = analyseRows(100_000)
  tell(`analysis of ${large.rows.toLocaleString('en')} sessions`, large.analyseMs / 1000, 's', 2)
  tell('analysis: CPU, compiler and garbage collector included', large.cpuMs / 1000, 's', null)
  const { bytes, renderMs } = standardReport()
  tell('report of a standard sweep: size', bytes / 1e6, 'MB', 2)
  tell('report of a standard sweep: time', renderMs, 'ms', null)
}

async function start() {
  const tries = []
  for (let i = 0; i < 3; i += 1) {
    const began = performance.now()
    const child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--data', join(scratch, 'start')], { stdio: ['ignore', 'pipe', 'pipe'] })
    const link = await new Promise((resolve) => {
      let text = ''
      const hear = (chunk) => {
        text += chunk
        const found = /http:\/\/\S+token=\S+/.exec(text)?.[0]
        if (found) resolve(found)
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
    })
    await fetch(link, { redirect: 'manual' })
    tries.push(performance.now() - began)
    child.kill()
    await new Promise((resolve) => child.once('exit', resolve))
  }
  tell('web host answers after `node`', rank(tries, 0.5) / 1000, 's', 1)
}

installWhenMissing()
buildWhenStale()
const parts = { null: nullLeg, clock, sessions, analysis, start }
const wanted = process.argv.slice(2)
try {
  const tools = await library()
  console.log(`Load of the machine before: ${round(loadavg()[0])} on ${availableParallelism()} cores.`)
  for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await part(tools)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const over = rows.filter(({ value, bound }) => bound !== null && !(value <= bound))
console.log(
  over.length === 0
    ? 'All within their bounds.'
    : `${over.length} over their bound. A busy machine shows here first: run it again when nothing else runs.`,
)
process.exit(over.length === 0 ? 0 : 1)
