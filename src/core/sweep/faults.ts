/** Fault switches of our own, for tests and for showing what a verdict looks like: one table for request, command line and report. */
import { z } from 'zod'

const count = z.int().positive().optional()
const lengthMs = z.number().nonnegative().optional()

export const faultsSchema = z.object({
  runnerBlockMs: z.number().nonnegative().default(0),
  runnerDeltaMs: lengthMs,
  runnerToolMs: lengthMs,
  runnerToolsAtOnce: count,
  runnerPoolLimit: count,
  driverCap: count,
  promptPool: count,
})
export type Faults = z.infer<typeof faultsSchema>

type FaultSwitch = {
  readonly key: keyof Faults
  /** On the command line, with a whole number. */
  readonly flag: string
  readonly most: number
  readonly help: string
  /** For a report: what was done on purpose. */
  readonly note: (value: string) => string
}

const MOST_MS = 60_000
const MOST = 4_096

export const FAULT_SWITCHES: readonly FaultSwitch[] = [
  {
    key: 'runnerBlockMs',
    flag: '--fault-runner-block-ms',
    most: MOST_MS,
    help: 'block the runner’s loop this long at each start, to see it named',
    note: (value) => `the runner’s loop was blocked for ${value} ms at each start of a turn`,
  },
  {
    key: 'runnerDeltaMs',
    flag: '--fault-runner-delta-ms',
    most: 1_000,
    help: 'block the runner’s loop this long at each piece of text, as a page that renders it all again does',
    note: (value) => `the runner’s loop was blocked for ${value} ms at each piece of text`,
  },
  {
    key: 'runnerToolMs',
    flag: '--fault-runner-tool-ms',
    most: MOST_MS,
    help: 'let each tool take this much longer',
    note: (value) => `each tool took ${value} ms longer`,
  },
  {
    key: 'runnerToolsAtOnce',
    flag: '--fault-runner-tools-at-once',
    most: MOST,
    help: 'let no more tools than this run at once; the others wait for them',
    note: (value) => `no more than ${value} tools ran at once`,
  },
  {
    key: 'runnerPoolLimit',
    flag: '--fault-runner-pool',
    most: MOST,
    help: 'give the runner no more connections to the model server than this',
    note: (value) => `the runner had no more than ${value} connections to the model server`,
  },
  {
    key: 'driverCap',
    flag: '--fault-driver-cap',
    most: MOST,
    help: 'let the load driver hold no more turns in flight than this; the others are submitted late',
    note: (value) => `the load driver held no more than ${value} turns in flight and submitted the others late`,
  },
  {
    key: 'promptPool',
    flag: '--fault-prompt-pool',
    most: MOST,
    help: 'use only so many different prompts, again and again, against rule M3',
    note: (value) => `there were only ${value} different prompts, used again and again (against M3)`,
  },
]

/** Those that are on, in the order of the table. */
function switchedOn(faults: Faults): { readonly entry: FaultSwitch; readonly value: string }[] {
  return FAULT_SWITCHES.flatMap((entry) => {
    const value = faults[entry.key] ?? 0
    return value > 0 ? [{ entry, value: String(value) }] : []
  })
}

export const faultArguments = (faults: Faults): string[] => switchedOn(faults).flatMap(({ entry, value }) => [entry.flag, value])

/** Whole sentences, one a fault. */
export const faultNotes = (faults: Faults): string[] => switchedOn(faults).map(({ entry, value }) => `On purpose, ${entry.note(value)}.`)
