/**
 * Runs a plan, top to bottom: warm-up, cells in their order, void ones again, to the end, the cancel or the watchdog. The one stage of a sweep with effects;
 * what it learns leaves as events. It chooses nothing that the plan, core/sweep/judge-cell.ts or core/sweep/next-cells.ts does not say.
 */
import { serverNotes } from '../../../core/model-servers/server-notes.ts'
import { type Problem, problem, problemText } from '../../../core/result/problem.ts'
import { createSweepFold, type SweepFold } from '../../../core/sweep/fold-sweep.ts'
import { judgeCell } from '../../../core/sweep/judge-cell.ts'
import { findsLevels, modeOf } from '../../../core/sweep/modes.ts'
import { type NextStep, nextCells } from '../../../core/sweep/next-cells.ts'
import type { Cell, SweepPlan } from '../../../core/sweep/plan.ts'
import { type ServerChange, serverChange } from '../../../core/sweep/server-changes.ts'
import { batchSamples } from './batch-samples.ts'
import { createCellRunner, type PlayedCell } from './cell-runner.ts'
import type { SweepRun } from './ports.ts'
import { createTimeWatch, type TimeWatch } from './time-watch.ts'

const NOTHING_MORE: NextStep = { add: [], skip: [] }

type End = { readonly outcome: 'completed' | 'cancelled' | 'failed'; readonly problem: Problem | null }

/** Ends in any case, and always with `sweep-ended`; never rejects but for a bug. */
export async function runSweep(given: SweepRun): Promise<void> {
  const fold = createSweepFold()
  const emit: SweepRun['emit'] = (events) => {
    for (const event of events) fold.apply(event)
    given.emit(events)
  }
  const run = { ...given, emit }
  const { plan, target, originMs, ports, signal } = run
  const { clock } = ports
  const atMs = () => clock.nowMs() - originMs
  for (const event of run.goesOn?.history ?? []) fold.apply(event)
  emit([
    run.goesOn === undefined
      ? { type: 'sweep-started', atMs: 0, epochMs: clock.epochMs(), plan, environment: ports.environment }
      : { type: 'sweep-resumed', atMs: atMs(), epochMs: clock.epochMs() },
    { type: 'server-read', atMs: atMs(), facts: target.facts },
    ...(run.goesOn !== undefined ? [] : serverNotes(target.facts, plan.workload)).map((note) => ({
      type: 'warning' as const,
      atMs: atMs(),
      ...note,
      cell: null,
    })),
    ...(run.goesOn?.continuation.events ?? []),
  ])

  const watchdog = new AbortController()
  const stopWatchdog = clock.after(plan.watchdogMs, () => watchdog.abort())
  const samples = batchSamples({ clock, originMs, watch: ports.watchSamples, emit })
  const { runnerBlockMs, runnerDeltaMs, runnerToolMs, runnerToolsAtOnce, runnerPoolLimit } = plan.request.faults
  ports.setRunnerFault({
    blockMs: runnerBlockMs,
    deltaMs: runnerDeltaMs,
    toolMs: runnerToolMs,
    toolsAtOnce: runnerToolsAtOnce,
    poolLimit: runnerPoolLimit,
  })
  const cells = createCellRunner(run, AbortSignal.any([signal, watchdog.signal]))
  const time = createTimeWatch(clock, plan.request.faults.runnerBlockMs === 0)
  let end: End
  try {
    end = await playAll(run, cells, fold, time)
    if (end.outcome !== 'failed' && watchdog.signal.aborted) end = timeIsUp(run, atMs())
  } catch (error) {
    ports.log.error('A sweep failed by a bug', error)
    end = {
      outcome: 'failed',
      problem: problem('internal', 'The sweep broke off by a fault of Plimsoll.', '', 'What was measured is kept; the log says more with --verbose.'),
    }
  }
  ports.setRunnerFault({})
  stopWatchdog()
  time.close()
  samples.close()
  await Promise.all([cells.close(), target.stop()]).catch((error: unknown) => ports.log.error('Something of a sweep could not be ended', error))
  emit([{ type: 'sweep-ended', atMs: atMs(), ...end }])
}

async function playAll(run: SweepRun, cells: ReturnType<typeof createCellRunner>, fold: SweepFold, time: TimeWatch): Promise<End> {
  const { plan, originMs, ports, emit, signal } = run
  const atMs = () => ports.clock.nowMs() - originMs
  const startedAtMs = atMs()
  const chosen = run.goesOn?.continuation.only ?? null
  const only = chosen === null ? null : new Set(chosen)
  const ranAgain = new Set<number>()
  const server = watchServer(run)
  let voidedByLoad = 0
  const add = (cell: Omit<Cell, 'index'>, because?: string): number => {
    const index = fold.state()?.cells.length ?? 0
    only?.add(index)
    emit([{ type: 'cell-added', atMs: atMs(), cell: { ...cell, index }, ...(because === undefined ? {} : { because }) }])
    return index
  }
  const runAgain = (cell: Cell) => {
    // Once: a cell that was added for this is not added again. A warm-up only warms at the beginning.
    if (!ranAgain.has(cell.index) && cell.role !== 'warm-up') ranAgain.add(add(cell))
  }
  const voidCell = (cell: Cell, reason: Problem) => emit([{ type: 'cell-void', atMs: atMs(), cell: cell.index, reason }])

  for (;;) {
    const [cell, ...ahead] = decideNext(run, fold, only, startedAtMs)
    if (cell === undefined) return { outcome: 'completed', problem: null }
    time.look()
    const played: PlayedCell = await cells.play(cell, ahead)
    if (signal.aborted) return { outcome: 'cancelled', problem: null }
    const unevenTime = time.look()
    if (unevenTime !== undefined && played.how !== 'stopped' && cell.role !== 'warm-up') {
      // What the server looked like while the machine slept says nothing of it.
      voidCell(cell, unevenTime)
      runAgain(cell)
      continue
    }
    switch (played.how) {
      case 'stopped':
        return { outcome: 'cancelled', problem: null }
      case 'target-lost':
        voidCell(cell, played.problem)
        return { outcome: 'failed', problem: played.problem }
      case 'skipped':
        voidCell(cell, played.problem)
        emit([{ type: 'warning', atMs: atMs(), code: missingCode(cell), text: problemText(played.problem), cell: cell.index }])
        break
      case 'driver-lost':
        voidCell(cell, played.problem)
        if (played.forTheLastTime) return { outcome: 'failed', problem: played.problem }
        runAgain(cell)
        break
      case 'played': {
        const change = cell.leg === 'null' ? null : await server.look()
        if (change !== null) {
          emit([{ type: 'warning', atMs: atMs(), code: change.reason.code, text: change.reason.happened, cell: cell.index }])
          if (cell.role !== 'warm-up' || change.isOther) voidCell(cell, change.reason)
          if (change.isOther) return { outcome: 'failed', problem: change.reason }
          const warmUp = plan.cells.find(({ role }) => role === 'warm-up')
          if (warmUp !== undefined) add(warmUp, 'The server was started anew and is warmed again (M4).')
          runAgain(cell)
          break
        }
        const mixed = plan.workload.variants.length > 0
        const judged = judgeCell({
          cell,
          rows: played.rows,
          report: played.report,
          absentBefore: played.absentBefore,
          cellsVoidedByLoad: voidedByLoad,
          mixed,
        })
        emit(judged.warnings.map(({ code, text }) => ({ type: 'warning', atMs: atMs(), code, text, cell: cell.index })))
        if (judged.voidBecause === null) break
        if (judged.cause === 'load') voidedByLoad += 1
        voidCell(cell, judged.voidBecause)
        runAgain(cell)
      }
    }
  }
}

const missingCode = ({ leg }: Cell) => (leg === 'null' ? 'null-leg-missing' : 'intervention-missing')

/** Compares the server with what was read of it last. A reading that fails says nothing: the next cell will tell. */
function watchServer({ target, originMs, ports, emit }: SweepRun): { look(): Promise<ServerChange | null> } {
  let known = target.facts
  return {
    async look() {
      const now = await target.reread?.()
      if (now === undefined || !now.ok) return null
      const change = serverChange(known, now.value)
      if (change === null) return null
      known = now.value
      emit([{ type: 'server-read', atMs: ports.clock.nowMs() - originMs, facts: now.value }])
      return change
    },
  }
}

/**
 * Asks what the measured cells ask for, and tells it.
 * @param only cells that may be run; null = all, and more
 * @returns the planned cells in their order, warm-ups first; none = the sweep is done
 */
function decideNext({ emit, ports, originMs }: SweepRun, fold: SweepFold, only: ReadonlySet<number> | null, startedAtMs: number): Cell[] {
  const atMs = ports.clock.nowMs() - originMs
  for (;;) {
    const state = fold.state()
    if (state === undefined) return []
    const step = only !== null ? NOTHING_MORE : nextCells({ plan: state.plan, cells: state.cells, rows: state.rows, elapsedMs: atMs - startedAtMs })
    emit(step.skip.map(({ cell, because }) => ({ type: 'cell-skipped', atMs, cell, because })))
    for (const { cell, because, leftOut } of step.add) {
      emit([{ type: 'cell-added', atMs, cell, because }])
      if (leftOut) emit([{ type: 'cell-skipped', atMs, cell: cell.index, because }])
    }
    // What was added may have to be left out again.
    if (step.add.length > 0 || step.skip.length > 0) continue
    const planned = state.cells.filter(({ status, cell }) => status === 'planned' && (only === null || only.has(cell.index))).map(({ cell }) => cell)
    return [...planned.filter(({ role }) => role === 'warm-up'), ...planned.filter(({ role }) => role !== 'warm-up')]
  }
}

/** A quick sweep has an end of its own, and what it has by then is its answer; any other one hangs. */
function timeIsUp({ plan, emit }: SweepRun, atMs: number): End {
  if (!endsByTheClock(plan)) return { outcome: 'failed', problem: watchdogProblem(plan.watchdogMs) }
  const text = `The ${Math.round(plan.watchdogMs / 1_000)} s of a quick sweep were over before all of its cells were measured.`
  emit([{ type: 'warning', atMs, code: 'time-is-up', text, cell: null }])
  return { outcome: 'completed', problem: null }
}

const endsByTheClock = ({ request }: SweepPlan) => findsLevels(request) && modeOf(request) === 'quick'

function watchdogProblem(watchdogMs: number): Problem {
  return problem(
    'sweep-watchdog',
    `The sweep did not end within ${Math.round(watchdogMs / 60_000)} min, the longest that its plan allows.`,
    '',
    'What was measured is kept; look whether the model server hangs.',
  )
}
