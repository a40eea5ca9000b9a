/** What a system must be able to tell the sampler. Linux tells all of it; the others what Node and systeminformation give. */
import type { ProcessRef } from '../../../core/metric/process-ref.ts'
import type { Sample } from '../../../core/metric/sample.ts'

/** CPU as a share of one core, over the last second. */
export type ProcessUse = { readonly cpuPercent: number; readonly rssBytes: number }

export type Reading = {
  readonly host: Sample['host']
  /** One for each process asked for, in that order; null = it is not there, or not known yet. */
  readonly processes: ReadonlyArray<ProcessUse | null>
}

export interface Probe {
  /** Must be quick: it runs in main, several times a second. CPU counts since the last call. */
  read(processes: readonly Omit<ProcessRef, 'role'>[], nowMs: number): Reading
  close(): void
}
