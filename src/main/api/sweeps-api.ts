/** Sweeps: estimate, start, watch, cancel, list, export, import, compare, delete. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import { problem } from '../../core/result/problem.ts'
import { err, ok } from '../../core/result/result.ts'
import type { App } from '../compose.ts'
import { sendBatches } from './batches.ts'

export function createSweepsApi({ sweeps, sweepRecords, store }: App): Api<PlimsollContract>['sweeps'] {
  return {
    estimate(request) {
      const { cells, sessions, seconds, costUsd } = sweeps.estimate(request)
      return ok({ cells, sessions, seconds, costUsd })
    },
    start: (request) => sweeps.start(request),
    resume: ({ sweepId }) => sweeps.resume(sweepId),
    extend: ({ sweepId, n, waves }) => sweeps.extend(sweepId, { n, waves }),
    async cancel({ sweepId }) {
      await sweeps.cancel(sweepId)
      return ok({})
    },
    list(_input, out) {
      const send = () => void out.next(store.listSweeps())
      send()
      return store.onSweepsChange(send)
    },
    events: ({ sweepId }, out) =>
      sweeps.events(
        sweepId,
        (batch) => sendBatches(out, batch),
        () => out.end(),
      ),
    live: ({ sweepId }, out) => sweeps.live(sweepId, (live) => void out.next(live)),
    exportReport: ({ sweepId, format }) => sweepRecords.report(sweepId, format),
    importReport: async ({ fileName, content }) => sweepRecords.importReport(fileName, content),
    compare: async ({ before, after, marginRatio }) => sweepRecords.compare(before, after, marginRatio),
    remove({ sweepId }) {
      if (sweeps.running() === sweepId) {
        return err(problem('sweep-running', 'This sweep still runs.', '', 'Cancel it first; what was measured is kept until you delete it.'))
      }
      const removed = store.removeSweep(sweepId)
      return removed.ok ? ok({}) : removed
    },
  }
}
