/**
 * What the runner itself costs: a paced model server and a load driver of the plainest kind in processes of their own, the runner in this one.
 *   node scripts/bench-runner.mjs [burst|stream|all]
 * Prints one JSON object a scenario. Bounds: DESIGN.md section 11.
 */
import { fork } from 'node:child_process'
import http from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const self = fileURLToPath(import.meta.url)
const root = join(self, '..', '..')
const nowMs = () => Number(process.hrtime.bigint()) / 1e6

const SCENARIOS = {
  /** The null leg of a sweep: every answer at once. */
  burst: { n: 64, waves: 30, tokens: 1, paceMs: 0 },
  /** Sessions in flight at 20 tokens/s each. */
  stream: { n: 500, waves: 1, tokens: 200, paceMs: 50 },
}

if (process.argv[2] === '--server') serve()
else if (process.argv[2] === '--driver') drive()
else await main(process.argv[2] ?? 'all')

async function main(which) {
  const { build } = await import('vite')
  const outDir = join(root, 'out', 'bench')
  const output = { format: 'es', entryFileNames: 'runner.mjs' }
  const ssr = join(root, 'src/main/services/runner/runner.ts')
  await build({ root, configFile: false, logLevel: 'error', build: { ssr, outDir, emptyOutDir: false, target: 'node20', rollupOptions: { output } } })
  const { createRunner } = await import(join(outDir, 'runner.mjs'))
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (which === 'all' || which === name) console.log(JSON.stringify({ scenario: name, ...scenario, ...(await play(createRunner, scenario)) }))
  }
}

async function play(createRunner, scenario) {
  const clock = {
    nowMs,
    epochMs: Date.now,
    after: (ms, then) => {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
  }
  const runner = createRunner({ clock, log: { info() {}, error: console.error }, limit: 4, version: 'bench' })
  const api = (await runner.listen({ host: '127.0.0.1', port: 0 })).value
  const server = fork(self, ['--server'])
  server.send(scenario)
  const { url } = await answerOf(server)
  const driver = fork(self, ['--driver'])
  driver.send({ ...scenario, api, serverUrl: url })
  await answerOf(driver)
  // Warm by now: the first wave is not measured.
  const before = { cpu: process.cpuUsage(), loop: performance.eventLoopUtilization(), atMs: nowMs() }
  driver.send('go')
  const result = await answerOf(driver)
  const cpu = process.cpuUsage(before.cpu)
  const loop = performance.eventLoopUtilization(before.loop)
  const seconds = (nowMs() - before.atMs) / 1e3
  driver.kill()
  server.kill()
  await runner.close()
  const turns = scenario.n * scenario.waves
  const cpuMs = (cpu.user + cpu.system) / 1e3
  return {
    ...result,
    runner: {
      cpuMs: round(cpuMs),
      systemMs: round(cpu.system / 1e3),
      cpuUsPerTurn: Math.round((cpuMs * 1e3) / turns),
      cpuUsPerToken: round((cpuMs * 1e3) / turns / scenario.tokens),
      cpuPercent: round((cpuMs / seconds) * 0.1),
      loopUtilization: round(loop.utilization),
    },
  }
}

function answerOf(child) {
  return new Promise((resolve) => child.once('message', resolve))
}

function round(value) {
  return Math.round(value * 100) / 100
}

/** Ollama's native stream: all tokens at once, or one each `paceMs` per stream. */
function serve() {
  process.once('message', ({ tokens, paceMs }) => {
    const line = (content, rest) =>
      `${JSON.stringify({ model: 'm', created_at: '2026-01-01T00:00:00.000000000Z', message: { role: 'assistant', content }, done: false, ...rest })}\n`
    const done = line('', {
      done: true,
      done_reason: 'stop',
      total_duration: 1,
      load_duration: 1,
      prompt_eval_count: 1,
      prompt_eval_duration: 1,
      eval_count: tokens,
      eval_duration: 1,
    })
    const server = http.createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
      request.resume()
      request.on('end', () => {
        response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
        if (paceMs === 0) {
          response.end(line(' word').repeat(tokens) + done)
          return
        }
        let sent = 0
        const timer = setInterval(() => {
          sent += 1
          if (sent <= tokens) response.write(line(' word'))
          if (sent < tokens) return
          clearInterval(timer)
          response.end(done)
        }, paceMs)
      })
    })
    server.listen(0, '127.0.0.1', 4096, () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
  })
}

function drive() {
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 10_000 })
  const failures = {}
  process.once('message', async (plan) => {
    await wave(plan, agent, failures)
    await wave(plan.waves > 1 ? plan : { ...plan, n: 1 }, agent, failures)
    process.send({ ready: true })
    process.once('message', async () => {
      const turns = []
      for (let i = 0; i < plan.waves; i += 1) turns.push(...(await wave(plan, agent, failures)))
      const of = (pick) => percentiles(turns.map(pick))
      process.send({
        failures,
        acceptedMs: of((t) => t.acceptedMs - t.plannedMs),
        ttfaMs: of((t) => t.firstMs - t.plannedMs),
        driverLagMs: of((t) => t.submitMs - t.plannedMs),
        runnerTtfaMs: of((t) => t.timeline.firstActivityAtMs - t.timeline.acceptedAtMs),
        runnerToRequestMs: of((t) => t.timeline.firstModelRequestAtMs - t.timeline.acceptedAtMs),
        receiveLagMs: of((t) => t.lagMs),
      })
    })
  })
}

function percentiles(values) {
  const sorted = values.filter((v) => v !== undefined && !Number.isNaN(v)).sort((a, b) => a - b)
  const at = (q) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))])
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** A burst as it is planned: connections open before, sends 0.1 ms apart (M1b). */
async function wave({ n, api, serverUrl }, agent, failures) {
  const sessions = await Promise.all(Array.from({ length: n }, () => openSession(api, serverUrl, agent)))
  const startMs = nowMs() + 20
  const spacingMs = Math.min(0.1, 50 / n)
  const over = sessions.map((session, i) => {
    session.plannedMs = startMs + i * spacingMs
    return session.over
  })
  await new Promise((resolve) => setTimeout(resolve, 15))
  for (const session of sessions) {
    while (nowMs() < session.plannedMs) if (session.plannedMs - nowMs() > 0.05) await new Promise((resolve) => setImmediate(resolve))
    session.submitMs = nowMs()
    post(api, session, agent)
  }
  await Promise.all(over)
  for (const session of sessions) {
    if (session.timeline.outcome !== 'completed')
      failures[session.timeline.problem?.code ?? 'cut'] = (failures[session.timeline.problem?.code ?? 'cut'] ?? 0) + 1
    await request(api, agent, 'DELETE', `/v1/sessions/${session.id}`)
  }
  return sessions
}

function post(api, session, agent) {
  void request(api, agent, 'POST', `/v1/sessions/${session.id}/turns`, { text: `Message ${session.id}` }, () => {
    session.acceptedMs = nowMs()
  })
}

async function openSession(api, serverUrl, agent) {
  const { sessionId } = await request(api, agent, 'POST', '/v1/sessions', { settings: { serverUrl, model: 'm', origin: 'sweep' } })
  const session = { id: sessionId, lagMs: 0 }
  await new Promise((opened) => {
    session.over = new Promise((ended) => {
      http.get(`${api.url}/v1/sessions/${sessionId}/events`, { agent: false, headers: { Authorization: `Bearer ${api.token}` } }, (response) => {
        opened()
        let rest = ''
        response.setEncoding('utf8').on('data', (piece) => {
          const atMs = nowMs()
          const frames = (rest + piece).split('\n\n')
          rest = frames.pop()
          for (const frame of frames) {
            const event = JSON.parse(frame.slice(frame.indexOf('data: ') + 6))
            session.lagMs = Math.max(session.lagMs, atMs - event.atMs)
            if (event.type === 'delta') session.firstMs ??= atMs
            if (event.type !== 'turn-ended') continue
            session.timeline = event.timeline
            ended()
          }
        })
        response.on('error', () => {})
      })
    })
  })
  return session
}

function request(api, agent, method, path, body, onHead = () => {}) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const sent = http.request(
      `${api.url}${path}`,
      { method, agent, headers: { Authorization: `Bearer ${api.token}`, 'Content-Length': text === undefined ? 0 : Buffer.byteLength(text) } },
      (response) => {
        onHead()
        let got = ''
        response.setEncoding('utf8').on('data', (piece) => {
          got += piece
        })
        response.on('end', () => resolve(got === '' ? undefined : JSON.parse(got)))
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })
}
