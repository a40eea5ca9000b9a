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
})
