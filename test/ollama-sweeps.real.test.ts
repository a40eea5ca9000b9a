/** Whole sweeps against a real Ollama: the slots it was given are found, a swap is called a swap, and what is lost in the middle costs no row. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { waveLanes } from '../src/core/report/wave-lanes.ts'
import type { SweepState } from '../src/core/sweep/fold-sweep.ts'
import type { SweepRequestInput } from '../src/core/sweep/plan.ts'
import { type AppUnderTest, openAppUnderTest } from './app-under-test.ts'
import { OLLAMA_MODELS, type OllamaServer, type OllamaSettings, ollamaMissing, startOllama } from './ollama-server.ts'

const missing = await ollamaMissing()

/** One thread: llama.cpp's threads spin while they wait for each other, and a busy machine then takes a hundred times as long. */
const OPTIONS = { temperature: 0, num_thread: 1, num_ctx: 1_024 }
const WORKLOAD = { promptTokens: 30, outputTokens: 12, memoryNote: false, options: OPTIONS }

describe.skipIf(missing !== false)(`sweeps of a real Ollama${missing === false ? '' : ` (left out: ${missing})`}`, () => {
  let plimsoll: AppUnderTest
  let ollama: OllamaServer | undefined
  beforeAll(async () => {
    plimsoll = await openAppUnderTest()
  })
  afterAll(() => plimsoll?.close())
  afterEach(async () => {
    await ollama?.stop()
    ollama = undefined
  })

  async function requestOf(settings: OllamaSettings, input: Partial<SweepRequestInput> = {}): Promise<SweepRequestInput> {
    ollama = await startOllama(settings)
    const target = { kind: 'server', url: ollama.url, model: OLLAMA_MODELS.plain } as const
    return { target, levels: [1, 2, 4], repeats: 1, waves: 2, legs: ['runner'], workload: WORKLOAD, ...input }
  }

  /** The cells before the one in which something was lost; a machine that is busy may have made them void, but their rows are there. */
  function expectKept({ cells, rows }: SweepState) {
    for (const { cell } of cells.slice(1, 3)) {
      expect(rows.filter((row) => row.cell === cell.index && row.outcome === 'completed')).toHaveLength(cell.waves * cell.n)
    }
  }

  test.each([1, 2, 4])('OLLAMA_NUM_PARALLEL=%i: so many effective slots; at 1 the queue is named', async (parallel) => {
    const request = await requestOf({ parallel }, { levels: [1, 2, 4, 8, 12] })
    const { sweepId, state, analysis } = await plimsoll.sweep(request)
    expect(state).toMatchObject({ status: 'completed', facts: { kind: 'ollama', declaredSlots: process.platform === 'linux' ? parallel : null } })
    expect(analysis.levels.at(-1)).toMatchObject({ n: 12, failures: 0, slotsInUse: parallel })
    expect(analysis.effectiveSlots).toMatchObject({ n: parallel, plateau: true })
    if (parallel > 1) return
    expect(analysis.verdict.primary).toBe('model_server_queue')
    const lanes = waveLanes(state, 'runner', 12)?.lanes.map(({ ttfaMs }) => Number(ttfaMs)) ?? []
    expect(lanes).toHaveLength(12)
    // The staircase: each lane begins to answer when the one before it has ended, so the last waits many times as long as the first.
    expect(lanes.at(-1)).toBeGreaterThan(6 * (lanes[0] ?? 0))
    const { html } = await plimsoll.report(sweepId)
    expect(html).toContain('Beyond 1 session the model server')
    expect(html).toContain('One wave at N = 12, lane by lane')
  })

  test('on OpenAI’s wire, which tells no times: the slots are seen all the same, and usage is counted by the server', async () => {
    const request = await requestOf({ parallel: 2 }, { levels: [1, 6], waves: 2 })
    const target = { kind: 'server', url: `${ollama?.url}/v1`, model: OLLAMA_MODELS.second, api: 'openai' } as const
    const { state, analysis } = await plimsoll.sweep({ ...request, target, workload: { ...WORKLOAD, options: { temperature: 0 } } })
    expect(state).toMatchObject({ status: 'completed', facts: { kind: 'ollama', api: 'openai', url: ollama?.url } })
    expect(analysis.levels.at(-1)).toMatchObject({ n: 6, failures: 0, slotsInUse: 2 })
    for (const call of state.rows.flatMap(({ timeline }) => timeline?.calls ?? [])) {
      expect(call).toMatchObject({ endMarker: true, server: null, tokensEstimated: false, outputTokens: 12 })
    }
  })

  test.each([
    [
      'two models',
      [
        { model: OLLAMA_MODELS.plain, options: OPTIONS },
        { model: OLLAMA_MODELS.other, options: OPTIONS },
      ],
      'models mid and tiny',
    ],
    ['two num_ctx', [1_024, 2_048].map((size) => ({ model: OLLAMA_MODELS.plain, options: { ...OPTIONS, num_ctx: size } })), 'num_ctx 1024 and 2048'],
  ])('%s mixed: the swap is shown, and is never called a queue', async (_, variants, differing) => {
    const { analysis } = await plimsoll.sweep(await requestOf({ parallel: 1 }, { levels: [1, 2, 4], workload: { ...WORKLOAD, variants } }))
    expect(['model_server_reload', 'inconclusive']).toContain(analysis.verdict.primary)
    expect(analysis.levels.at(-1)?.partsMs.swap).toBeGreaterThan(100)
    expect(JSON.stringify(analysis.verdict)).toContain(differing)
  })

  test('the server killed in mid-sweep: a sentence, and what was measured is kept', async () => {
    let killed: Promise<void> | undefined
    const { sweepId, state, analysis } = await plimsoll.sweep(await requestOf({ parallel: 1 }), (batch) => {
      if (batch.some((event) => event.type === 'wave-started' && event.cell === 3)) killed ??= ollama?.kill()
    })
    await killed
    expect(state).toMatchObject({ status: 'failed', problem: { code: 'server-lost', happened: expect.stringContaining(ollama?.url ?? 'no server') } })
    expectKept(state)
    expect(analysis.levels.length).toBeGreaterThan(0)
    const { html } = await plimsoll.report(sweepId)
    expect(html).toContain('stopped answering in the middle of the sweep')
  })

  test('the model deleted in mid-sweep: a sentence, and what was measured is kept', async () => {
    let deleted: Promise<unknown> | undefined
    const { state, analysis } = await plimsoll.sweep(await requestOf({ parallel: 1 }), (batch) => {
      if (!batch.some((event) => event.type === 'wave-started' && event.cell === 3)) return
      deleted ??= fetch(`${ollama?.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: OLLAMA_MODELS.plain }) })
    })
    await deleted
    expect(state).toMatchObject({ status: 'failed', problem: { code: 'model-lost' } })
    expect(state.problem?.happened).toContain(OLLAMA_MODELS.plain)
    expectKept(state)
    expect(analysis.levels.length).toBeGreaterThan(0)
  })

  test('a cold start inside a cell, which every request tells in full, voids it or is told as load, once: never a queue, never a recurring reload', async () => {
    let unloaded: Promise<unknown> | undefined
    const body = JSON.stringify({ model: OLLAMA_MODELS.plain, keep_alive: 0 })
    const { state, analysis } = await plimsoll.sweep(await requestOf({ parallel: 1 }, { levels: [1, 4] }), (batch) => {
      // In its last wave: what comes behind it waits for the model to go and to come again.
      if (!batch.some((event) => event.type === 'wave-started' && event.cell === 1 && event.wave === 1)) return
      unloaded ??= fetch(`${ollama?.url}/api/generate`, { method: 'POST', body }).then((answer) => answer.text())
    })
    await unloaded
    expect(state.status).toBe('completed')
    const loadsMs = state.rows.flatMap((row) => (row.cell === 1 || row.cell === 2 ? [(row.timeline?.calls[0]?.server?.loadNs ?? 0) / 1e6] : []))
    expect(loadsMs.filter((ms) => ms > 150).length).toBeGreaterThan(0)
    const voided = state.cells.some(({ voidReason }) => voidReason?.code === 'loaded-inside-cell')
    const loadMs = Math.max(...analysis.levels.map(({ partsMs }) => partsMs.load))
    expect(voided || loadMs > 50).toBe(true)
    expect(Math.max(...analysis.levels.map(({ partsMs }) => partsMs.swap))).toBeLessThan(50)
    // Loads mixed into warm cells may also make the measurement invalid: that is the doubt said, not a cause.
    expect(['model_server_queue', 'inconclusive', 'invalid_measurement']).toContain(analysis.verdict.primary)
  })

  test('OLLAMA_MAX_QUEUE=2: refusals have the server’s own words, and the error ceiling lies below them', async () => {
    const { state, analysis } = await plimsoll.sweep(await requestOf({ parallel: 1, maxQueue: 2 }, { levels: [1, 2, 12], waves: 2 }))
    const refused = state.rows.filter(({ outcome }) => outcome === 'failed')
    expect(refused.length).toBeGreaterThan(0)
    for (const { problem, timeline } of refused) {
      expect(problem).toMatchObject({ code: 'server-busy', happened: expect.stringContaining('maximum pending requests exceeded') })
      expect(timeline?.calls[0]).toMatchObject({ httpStatus: 503, firstDeltaAtMs: null, outputTokens: null })
    }
    expect(analysis.levels.find(({ n }) => n === 2)?.failures).toBe(0)
    // Two waves are few: whether 12 surely misses depends on how many were refused; that it holds must never be said.
    expect(analysis.ceilings.error.status).not.toBe('not-reached')
    expect(analysis.ceilings.error.n ?? 0).toBeLessThan(12)
    expect(analysis.verdict.primary).toBe('model_server_queue')
    expect(JSON.stringify([analysis.verdict, analysis.warnings])).toContain('503')
  })

  test('a stranger that holds the only slot and is aborted: who waited behind it is served, nothing fails, and it is the queue that is named', async () => {
    let held: Promise<string> | undefined
    const { state, analysis } = await plimsoll.sweep(await requestOf({ parallel: 1 }, { levels: [1, 2, 4], waves: 2 }), (batch) => {
      if (batch.some((event) => event.type === 'cell-started' && event.cell === 2)) held ??= holdSlot(ollama?.url ?? '')
    })
    expect(await held).toBe('aborted')
    expect(state).toMatchObject({ status: 'completed' })
    expect(state.rows.filter(({ outcome }) => outcome !== 'completed')).toEqual([])
    expect(['model_server_queue', 'inconclusive']).toContain(analysis.verdict.primary)
    expect(analysis.effectiveSlots.n).toBe(1)
  })
})

/** Takes the slot with a long answer and leaves in the middle of it, a moment after its first token. */
async function holdSlot(url: string): Promise<string> {
  const leave = new AbortController()
  const options = { ...OPTIONS, num_predict: 900 }
  const body = JSON.stringify({ model: OLLAMA_MODELS.plain, messages: [{ role: 'user', content: 'Tell me all.' }], options })
  try {
    const answer = await fetch(`${url}/api/chat`, { method: 'POST', signal: leave.signal, body })
    setTimeout(() => leave.abort(), 800)
    await answer.text()
    return 'served to its end'
  } catch {
    return 'aborted'
  }
}
