/** All sweeps that main keeps, newest first, and what can be done with one. */
import type { SweepListItem } from '../../contract/endpoints/sweeps.ts'
import type { SweepId } from '../../core/result/ids.ts'
import type { SweepRequestInput } from '../../core/sweep/plan.ts'
import { offerDownload } from './download.ts'
import type { NoticeStore } from './notice-store.ts'
import type { PageConnection } from './page-connection.ts'
import { createStore, type ReadableStore } from './store.ts'

export type SweepList = { readonly loaded: boolean; readonly items: readonly SweepListItem[] }

export type SweepListStore = ReadableStore<SweepList> & {
  /** @returns the new sweep's id; undefined when it did not start, which a notice has said */
  start(request: SweepRequestInput): Promise<SweepId | undefined>
  cancel(sweepId: SweepId): Promise<void>
  /** The cells that were not measured. @returns whether it goes on */
  resume(sweepId: SweepId): Promise<boolean>
  /** More waves at one level. @returns whether it goes on */
  extend(sweepId: SweepId, n: number, waves: number): Promise<boolean>
  /** Takes the sweep in a report file back among the others. @returns its id; undefined when it can't be had, which a notice has said */
  importReport(fileName: string, content: string): Promise<SweepId | undefined>
  remove(sweepId: SweepId): Promise<void>
  /** Has main write the report, offers it as a download too, and says where it lies. */
  exportReport(sweepId: SweepId): Promise<void>
}

export const runningSweep = (list: SweepList): SweepListItem | undefined => list.items.find((item) => item.status === 'running')

export function createSweepListStore(connection: PageConnection, notices: NoticeStore): SweepListStore {
  const store = createStore<SweepList>({ loaded: false, items: [] })
  connection.live((client) =>
    client.sweeps.list({}, { next: (items) => store.set({ loaded: true, items: [...items].sort((a, b) => b.number - a.number) }) }),
  )
  return {
    get: store.get,
    subscribe: store.subscribe,
    async start(request) {
      const answer = await connection.client.sweeps.start(request)
      if (answer.ok) return answer.value.sweepId
      notices.fail(answer.error)
      return undefined
    },
    async cancel(sweepId) {
      const answer = await connection.client.sweeps.cancel({ sweepId })
      if (!answer.ok) notices.fail(answer.error)
    },
    async resume(sweepId) {
      const answer = await connection.client.sweeps.resume({ sweepId })
      if (!answer.ok) notices.fail(answer.error)
      return answer.ok
    },
    async extend(sweepId, n, waves) {
      const answer = await connection.client.sweeps.extend({ sweepId, n, waves })
      if (!answer.ok) notices.fail(answer.error)
      return answer.ok
    },
    async importReport(fileName, content) {
      const answer = await connection.client.sweeps.importReport({ fileName, content })
      if (answer.ok) return answer.value.sweepId
      notices.fail(answer.error)
      return undefined
    },
    async remove(sweepId) {
      const answer = await connection.client.sweeps.remove({ sweepId })
      if (!answer.ok) notices.fail(answer.error)
    },
    async exportReport(sweepId) {
      const answer = await connection.client.sweeps.exportReport({ sweepId, format: 'html' })
      if (!answer.ok) return notices.fail(answer.error)
      const { fileName, mediaType, content, path } = answer.value
      offerDownload(fileName, mediaType, content)
      notices.say('The report is written', path === null ? `${fileName}, in this browser’s downloads.` : `${path}. This browser keeps a copy too.`)
    },
  }
}
