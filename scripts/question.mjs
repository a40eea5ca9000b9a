/**
 * `npm run question`: the question, against the clock. Servers with 1, 3, 4, 7, 12 and 1,000 slots, of which Plimsoll knows nothing, started by themselves;
 * then the command, and seconds until its verdict. Right is: slots exact, the queue named, the ceiling's interval holds them; "not reached" for 1,000.
 * `npm run question -- --slots 4 --times 10`. Needs a quiet machine. Exits 1 when an answer is wrong or late.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildWhenStale } from './build-when-stale.mjs'
import { installWhenMissing, root } from './install-when-missing.mjs'

const LIMIT_SECONDS = 60
/** More slots than any level of the sweep. */
const UNBOUND = 1_000

const { values } = parseArgs({ options: { slots: { type: 'string', default: '1,3,4,7,12,1000' }, times: { type: 'string', default: '1' } } })
const cli = join(root, 'out/main/plimsoll.js')

/** 50 ms to the first token, 10 ms for each. */
async function startServer(slots) {
  const args = ['model-server', '--engine', 'simulated', '--port', '0', '--slots', String(slots), '--sim', 'prefillMs=50', '--sim', 'decodeMs=10']
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve, reject) => {
    let text = ''
    child.once('exit', () => reject(new Error(`The server ended: ${text}`)))
    child.stdout.on('data', (chunk) => {
      text += chunk
      const found = /listens on (\S+)/.exec(text)?.[1]
      if (found) resolve(found)
    })
  })
  return { url, stop: () => child.kill() }
}

function ask(url, data) {
  return new Promise((resolve) => {
    const began = performance.now()
    const child = spawn(process.execPath, [cli, 'sweep', '--mode', 'quick', '--server', url, '--data', data, '--json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.once('exit', () => {
      const seconds = (performance.now() - began) / 1_000
      try {
        resolve({ seconds, said: JSON.parse(text) })
      } catch {
        resolve({ seconds, said: null })
      }
    })
  })
}

function isRight(slots, said) {
  if (said === null) return false
  const { throughput } = said.ceilings
  if (slots >= UNBOUND) return said.verdict.primary === 'none_reached' && throughput !== null && throughput.n === null
  const holds = throughput !== null && throughput.n !== null && throughput.low <= slots && slots <= throughput.high
  return said.verdict.primary === 'model_server_queue' && said.verdict.effectiveSlots === slots && holds
}

function tell(slots, { seconds, said }, right) {
  const verdict = said === null ? 'no answer' : `${said.verdict.primary}, ${said.verdict.confidence}`
  const ceiling = said?.ceilings.throughput ?? null
  const range = ceiling === null ? '–' : ceiling.n === null ? `above ${ceiling.low}` : `${ceiling.n} (${ceiling.low} to ${ceiling.high})`
  const mark = right ? (seconds <= LIMIT_SECONDS ? 'right' : 'LATE') : 'WRONG'
  console.log(
    `${String(slots).padStart(5)} slots  ${seconds.toFixed(1).padStart(5)} s  ${verdict.padEnd(32)} slots ${String(said?.verdict.effectiveSlots ?? '–').padEnd(5)} ceiling ${range.padEnd(16)} ${mark}`,
  )
  if (!right && said !== null) console.log(`       ${said.verdict.sentence}`)
}

installWhenMissing()
buildWhenStale()
const scratch = mkdtempSync(join(tmpdir(), 'plimsoll-question-'))
console.log(`Load of the machine before: ${loadavg()[0].toFixed(1)}.`)
const results = []
try {
  for (const slots of values.slots.split(',').map(Number)) {
    for (let time = 0; time < Number(values.times); time += 1) {
      const server = await startServer(slots)
      try {
        const answer = await ask(server.url, join(scratch, `${slots}-${time}`))
        const right = isRight(slots, answer.said)
        tell(slots, answer, right)
        results.push({ right, seconds: answer.seconds })
      } finally {
        server.stop()
      }
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const right = results.filter((one) => one.right).length
const slowest = Math.max(...results.map(({ seconds }) => seconds))
console.log(`${right} of ${results.length} right; the slowest took ${slowest.toFixed(1)} s (limit ${LIMIT_SECONDS} s).`)
process.exit(right === results.length && slowest <= LIMIT_SECONDS ? 0 : 1)
