/**
 * From events to what is known of a sweep: the one fold behind the live page, the reopened sweep and the report.
 * No effects; linear in the number of events. An event that does not fit what came before changes nothing.
 */
import type { Sample } from '../metric/sample.ts'
import type { Problem } from '../result/problem.ts'
import type { Cell, SweepPlan } from './plan.ts'
import type { DriverReport, Environment, SweepEvent } from './sweep-event.ts'
import type { ServerFacts } from './target.ts'
import type { TurnRow } from './turn-row.ts'

export type CellState = {
  readonly cell: Cell
  readonly status: 'planned' | 'running' | 'done' | 'void' | 'skipped'
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  readonly wavesStarted: number
  readonly driver: DriverReport | null
  readonly drainMs: number | null
  readonly voidReason: Problem | null
  /** Why it was added to the plan, or left out of it. */
  readonly because: string | null
}

export type SweepWarning = { readonly code: string; readonly text: string; readonly cell: number | null }

export type SweepState = {
  readonly plan: SweepPlan
  readonly environment: Environment
  readonly startedEpochMs: number
  readonly facts: ServerFacts | null
  readonly status: 'running' | 'completed' | 'cancelled' | 'failed' | 'interrupted'
  readonly problem: Problem | null
  readonly cells: readonly CellState[]
  readonly rows: readonly TurnRow[]
  readonly samples: readonly Sample[]
  readonly warnings: readonly SweepWarning[]
  readonly lastAtMs: number
}

export type SweepFold = {
  apply(event: SweepEvent): void
  /** What is known now; undefined before the first event. A new object after each change, the same one as long as nothing came. */
  state(): SweepState | undefined
}

const planned = (cell: Cell): CellState => ({
  cell,
  status: 'planned',
  startedAtMs: null,
  endedAtMs: null,
  wavesStarted: 0,
  driver: null,
  drainMs: null,
  voidReason: null,
  because: null,
})

type Draft = { -readonly [K in keyof SweepState]: SweepState[K] } & {
  cells: CellState[]
  rows: TurnRow[]
  samples: Sample[]
  warnings: SweepWarning[]
}

export function createSweepFold(): SweepFold {
  let draft: Draft | undefined
  let snapshot: SweepState | undefined

  const patch = (index: number, change: Partial<CellState>) => {
    const cell = draft?.cells[index]
    if (draft !== undefined && cell !== undefined) draft.cells[index] = { ...cell, ...change }
  }

  return {
    apply(event) {
      snapshot = undefined
      if (event.type === 'sweep-started') {
        draft ??= {
          plan: event.plan,
          environment: event.environment,
          startedEpochMs: event.epochMs,
          facts: null,
          status: 'running',
          problem: null,
          cells: event.plan.cells.map(planned),
          rows: [],
          samples: [],
          warnings: [],
          lastAtMs: event.atMs,
        }
        return
      }
      if (draft === undefined) return
      draft.lastAtMs = Math.max(draft.lastAtMs, event.atMs)
      switch (event.type) {
        case 'server-read':
          draft.facts = event.facts
          return
        case 'cell-started':
          return patch(event.cell, { status: 'running', startedAtMs: event.atMs })
        case 'wave-started':
          return patch(event.cell, { wavesStarted: event.wave + 1 })
        case 'turn-ended':
          draft.rows.push(event.row)
          return
        case 'samples':
          draft.samples.push(...event.samples)
          return
        case 'cell-ended':
          return patch(event.cell, { status: 'done', endedAtMs: event.atMs, driver: event.driver, drainMs: event.drainMs })
        case 'cell-void':
          return patch(event.cell, { status: 'void', endedAtMs: event.atMs, voidReason: event.reason })
        case 'cell-added':
          draft.cells.push({ ...planned(event.cell), because: event.because ?? null })
          return
        case 'cell-skipped':
          return patch(event.cell, { status: 'skipped', because: event.because })
        case 'sweep-resumed':
          draft.status = 'running'
          draft.problem = null
          return
        case 'warning':
          draft.warnings.push({ code: event.code, text: event.text, cell: event.cell })
          return
        case 'sweep-ended':
          draft.status = event.outcome
          draft.problem = event.problem
          return
      }
    },
    state() {
      if (draft === undefined) return undefined
      snapshot ??= { ...draft, cells: [...draft.cells], rows: draft.rows.slice(), samples: draft.samples.slice(), warnings: draft.warnings.slice() }
      return snapshot
    },
  }
}

/** Folds a whole log at once. */
export function sweepStateOf(events: Iterable<SweepEvent>): SweepState | undefined {
  const fold = createSweepFold()
  for (const event of events) fold.apply(event)
  return fold.state()
}
