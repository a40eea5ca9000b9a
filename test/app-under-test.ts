/** The whole of main with a data folder of its own, and sweeps driven over the contract as the page drives them, from request to report. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { contract, type PlimsollContract } from '../src/contract/endpoints/index.ts'
import { connect } from '../src/contract/wire/connect.ts'
import type { Client } from '../src/contract/wire/endpoint-types.ts'
import { serve } from '../src/contract/wire/serve.ts'
import { memoryTransportPair } from '../src/contract/wire/transports/memory.ts'
import { analyse } from '../src/core/analysis/analyse.ts'
import type { Analysis } from '../src/core/analysis/analysis.ts'
import { type ReportJson, reportJsonSchema } from '../src/core/report/report-json.ts'
import type { SweepId } from '../src/core/result/ids.ts'
import { type SweepState, sweepStateOf } from '../src/core/sweep/fold-sweep.ts'
import { type SweepRequestInput, sweepRequestSchema } from '../src/core/sweep/plan.ts'
import type { SweepEvent } from '../src/core/sweep/sweep-event.ts'
import { createApi } from '../src/main/api/create-api.ts'
import { type App, composeApp } from '../src/main/compose.ts'
import { nodeForkChild } from '../src/main/platform/child.ts'
import { silentLog } from '../src/main/platform/log.ts'

export interface EndedSweep {
  readonly sweepId: SweepId
  readonly state: SweepState
  readonly analysis: Analysis
}

export interface AppUnderTest {
  readonly app: App
  readonly client: Client<PlimsollContract>
  /** To its end, whatever that is. `watch` gets each batch of events as it comes. */
  sweep(request: SweepRequestInput, watch?: (batch: readonly SweepEvent[]) => void): Promise<EndedSweep>
  report(sweepId: SweepId): Promise<{ html: string; json: ReportJson }>
  close(): Promise<void>
}

export async function openAppUnderTest(): Promise<AppUnderTest> {
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-app-'))
  const fork = nodeForkChild(resolve(import.meta.dirname, '../out/main'))
  const composed = await composeApp({ dataDir, host: 'test', fork, log: silentLog, verbose: false })
  if (!composed.ok) throw new Error(composed.error.happened)
  const app = composed.value
  const [main, page] = memoryTransportPair()
  serve(contract, createApi(app), main, { reportBug: (path, cause) => `${path}: ${cause}`, checkOutputs: true })
  const client = connect(contract, page)

  const exported = async (sweepId: SweepId, format: 'html' | 'json') => {
    const report = await client.sweeps.exportReport({ sweepId, format })
    if (!report.ok) throw new Error(report.error.happened)
    return report.value.content
  }

  return {
    app,
    client,
    async sweep(request, watch = () => {}) {
      const started = await client.sweeps.start(sweepRequestSchema.parse(request))
      if (!started.ok) throw new Error(started.error.happened)
      const { sweepId } = started.value
      const events = await new Promise<SweepEvent[]>((resolve, reject) => {
        const seen: SweepEvent[] = []
        const stop = client.sweeps.events(
          { sweepId },
          {
            next(batch) {
              seen.push(...batch)
              watch(batch)
              if (!batch.some(({ type }) => type === 'sweep-ended')) return
              stop()
              resolve(seen)
            },
            error: (problem) => reject(new Error(JSON.stringify(problem))),
          },
        )
      })
      const state = sweepStateOf(events)
      if (state === undefined) throw new Error('The sweep left no event.')
      return { sweepId, state, analysis: analyse(state) }
    },
    report: async (sweepId) => ({
      html: await exported(sweepId, 'html'),
      json: reportJsonSchema.parse(JSON.parse(await exported(sweepId, 'json'))),
    }),
    async close() {
      await app.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
