/** The runner and the reading of server facts against a real Ollama: a turn's whole time line, the queue on one slot, tools, cancel, failures. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OLLAMA_MODELS, type OllamaServer, ollamaMissing, startOllama } from '../../../../test/ollama-server.ts'
import type { SessionId } from '../../../core/result/ids.ts'
import { type SessionEvent, type SessionSettingsInput, sessionSettingsSchema } from '../../../core/session/session-event.ts'
import type { TurnTimeline } from '../../../core/session/timeline.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { createModels, type Models } from '../models/models.ts'
import { createRunner, type Runner } from './runner.ts'

const missing = await ollamaMissing()

describe.skipIf(missing !== false)(`the runner against a real Ollama${missing === false ? '' : ` (left out: ${missing})`}`, () => {
  let ollama: OllamaServer
  let models: Models
  let runner: Runner

  beforeAll(async () => {
    ollama = await startOllama({ parallel: 1 })
    models = createModels({
      fork: () => {
        throw new Error('no child is needed here')
      },
      dir: tmpdir(),
      log: silentLog,
      env: {},
    })
    const warm = await models.warmModel(ollama.url, OLLAMA_MODELS.plain, { options: { num_thread: 1, num_ctx: 1_024 } })
    if (!warm.ok) throw new Error(warm.error.happened)
  })

  afterAll(async () => {
    await models?.close()
    await ollama?.stop()
  })

  beforeEach(() => {
    runner = createRunner({ clock: systemClock, log: silentLog, limit: 4, version: '1' })
  })

  afterEach(() => runner.close())

  function open(settings: Partial<SessionSettingsInput> = {}): SessionId {
    const created = runner.createSession(
      sessionSettingsSchema.parse({
        serverUrl: ollama.url,
        model: OLLAMA_MODELS.plain,
        origin: 'sweep',
        maxOutputTokens: 24,
        options: { num_thread: 1, num_ctx: 1_024 },
        ...settings,
      }),
    )
    if (!created.ok) throw new Error(created.error.happened)
    return created.value.sessionId
  }

  function turn(
    id: SessionId,
    text: string,
    onEvent: (event: SessionEvent) => void = () => {},
  ): Promise<{ timeline: TurnTimeline; events: SessionEvent[] }> {
    return new Promise((resolve) => {
      const events: SessionEvent[] = []
      runner.events(id, 0, (event) => {
        events.push(event)
        onEvent(event)
        if (event.type === 'turn-ended') resolve({ timeline: event.timeline, events })
      })
      runner.postTurn(id, text)
    })
  }

  test('one turn has the whole time line, with the counts and durations of the server', async () => {
    const { timeline, events } = await turn(open({ background: { title: true, memory: true } }), 'which line is the next')
    expect(timeline).toMatchObject({ outcome: 'completed', problem: null })
    expect(timeline.calls.map((call) => call.purpose)).toEqual(['answer', 'title', 'memory'])
    const answer = timeline.calls[0]
    expect(answer).toMatchObject({ outcome: 'completed', endMarker: true, tokensEstimated: false, httpStatus: 200, resent: false })
    expect(answer?.outputTokens).toBeGreaterThan(0)
    expect(answer?.outputTokens).toBeLessThanOrEqual(24)
    expect(answer?.promptTokens).toBeGreaterThan(0)
    const { totalNs = 0, loadNs = 0, promptEvalNs = 0, evalNs = 0 } = answer?.server ?? {}
    expect(totalNs).toBeGreaterThan(promptEvalNs + evalNs)
    expect(loadNs).toBeGreaterThan(0)
    expect((answer?.endAtMs ?? 0) - (answer?.sentAtMs ?? 0)).toBeGreaterThanOrEqual(totalNs / 1e6 - 5)
    expect(events.filter((event) => event.type === 'delta' && event.call === 0).length).toBeGreaterThan(1)
  })

  test('on one slot the headers of a queued request come only with its first token, and streams do not overlap', async () => {
    const turns = await Promise.all(Array.from({ length: 4 }, (_, i) => turn(open(), `${i} is the number of this line`)))
    const calls = turns.map(({ timeline }) => timeline.calls[0]).filter((call) => call !== undefined)
    expect(calls.every((call) => call.outcome === 'completed')).toBe(true)
    const spans = calls.map((call) => [call.firstDeltaAtMs ?? 0, call.lastDeltaAtMs ?? 0] as const).sort(([a], [b]) => a - b)
    for (let i = 1; i < spans.length; i += 1) expect(spans[i]?.[0]).toBeGreaterThanOrEqual((spans[i - 1]?.[1] ?? 0) - 5)
    for (const call of calls) expect((call.firstByteAtMs ?? 0) - (call.headersAtMs ?? 0)).toBeLessThan(100)
  })

  test('a turn that waits in the queue of the server can be cut, and the others are served', async () => {
    const long = open({ maxOutputTokens: 200 })
    const second = open()
    const first = turn(long, 'this line is a long one')
    const queued = turn(second, 'that line waits for the other', (event) => {
      if (event.type === 'call-sent') setTimeout(() => runner.cancel(second), 50)
    })
    const cut = (await queued).timeline
    expect(cut).toMatchObject({ outcome: 'cut', calls: [{ outcome: 'cut', headersAtMs: null, outputTokens: null }] })
    expect((await first).timeline.outcome).toBe('completed')
  })

  test('tools are offered to a model that has them and kept from one that has not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workspace-'))
    await writeFile(join(folder, 'a.txt'), 'a')
    const without = await turn(open({ workspace: folder }), 'look into the files')
    expect(without.timeline.outcome).toBe('completed')
    expect(without.events.find((event) => event.type === 'notice')).toMatchObject({ text: expect.stringContaining('has no tools') })
    // The definitions of the tools make a prompt that takes this machine long; a server that did not take them would have said so at once.
    const able = open({ workspace: folder, model: OLLAMA_MODELS.tools })
    const withTools = await turn(able, 'look into the files', (event) => {
      if (event.type === 'call-sent') setTimeout(() => runner.cancel(able), 1_000)
    })
    expect(withTools.events.some((event) => event.type === 'notice')).toBe(false)
    expect(withTools.timeline.outcome).not.toBe('failed')
    await rm(folder, { recursive: true })
  })

  test('a model that is not there is named', async () => {
    const { timeline } = await turn(open({ model: 'no-such-model' }), 'Hi')
    expect(timeline).toMatchObject({ outcome: 'failed', problem: { code: 'model-missing' }, calls: [{ httpStatus: 404 }] })
  })

  test('M11: version, slots, process and context are read; a source build is not believed', async () => {
    const facts = await models.readServerFacts(ollama.url, OLLAMA_MODELS.plain)
    expect(facts).toMatchObject({
      ok: true,
      value: { kind: 'ollama', simulated: false, contextTokens: 1_024, supportsTools: false, quantization: 'Q8_0' },
    })
    if (!facts.ok) return
    expect(facts.value.versionKnown).toBe(facts.value.version !== '0.0.0')
    if (process.platform === 'linux') expect(facts.value).toMatchObject({ declaredSlots: 1, pid: ollama.pid })
    const absent = await models.readServerFacts(ollama.url, 'no-such-model')
    expect(absent).toMatchObject({ ok: false, error: { code: 'model-missing' } })
    expect(absent.ok ? '' : absent.error.expected).toContain(OLLAMA_MODELS.plain)
    const resident = await models.residentModels(ollama.url)
    expect(resident.ok && resident.value.map((model) => model.name)).toContainEqual(expect.stringContaining('mid'))
    const [found] = await models.discoverServers([ollama.url])
    expect(found).toMatchObject({ problem: null })
    expect(found?.models[0]).toMatchObject({ resident: true })
  })

  test('a server that is killed in the middle of an answer leaves a failed turn with what had come', async () => {
    const own = await startOllama({ parallel: 1 })
    let killed: Promise<void> | undefined
    const { timeline } = await turn(open({ serverUrl: own.url, maxOutputTokens: 400 }), 'this line is a long one', (event) => {
      if (event.type === 'delta') killed ??= own.kill()
    })
    await killed
    expect(timeline).toMatchObject({ outcome: 'failed', doneAtMs: null, calls: [{ outcome: 'failed', endMarker: false, tokensEstimated: true }] })
    expect(['connection-reset', 'stream-cut']).toContain(timeline.problem?.code)
    expect(timeline.calls[0]?.outputTokens).toBeGreaterThan(0)
    const after = await turn(open({ serverUrl: own.url }), 'Hi')
    expect(after.timeline).toMatchObject({ outcome: 'failed', problem: { code: 'server-unreachable' } })
    await own.stop()
  })
})
