/**
 * Runs a plan, top to bottom: warm-up, cells in their order, void ones again, to the end, the cancel or the watchdog. The one stage of a sweep with effects;
 * what it learns leaves as events. It chooses nothing that the plan, core/sweep/judge-cell.ts or core/sweep/next-cells.ts does not say.
 */
import { serverNotes } from '../../../core/model-servers/server-notes.ts'
import { type Problem, problem, problemText } from '../../../core/result/problem.ts'
import { createSweepFold, type SweepFold, type SweepState } from '../../../core/sweep/fold-sweep.ts'
import { judgeCell } from '../../../core/sweep/judge-cell.ts'
import { findsLevels, modeOf } from '../../../core/sweep/modes.ts'
import { nextCells } from '../../../core/sweep/next-cells.ts'
import type { Cell, SweepPlan } from '../../../core/sweep/plan.ts'
import { batchSamples } from './batch-samples.ts'
import { createCellRunner, type PlayedCell } from './cell-runner.ts'
import type { SweepRun } from './ports.ts'

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
  emit([
    { type: 'sweep-started', atMs: 0, epochMs: ports.clock.epochMs(), plan, environment: ports.environment },
    { type: 'server-read', atMs: atMs(), facts: target.facts },
    ...serverNotes(target.facts, plan.workload).map((note) => ({ type: 'warning' as const, atMs: atMs(), ...note, cell: null })),
  ])

  const watchdog = new AbortController()
  const stopWatchdog = clock.after(plan.watchdogMs, () => watchdog.abort())
  const samples = batchSamples({ clock, originMs, watch: ports.watchSamples, emit })
  const { runnerBlockMs, runnerDeltaMs, runnerToolMs, runnerPoolLimit } = plan.request.faults
  ports.setRunnerFault({ blockMs: runnerBlockMs, deltaMs: runnerDeltaMs, toolMs: runnerToolMs, poolLimit: runnerPoolLimit })
  const cells = createCellRunner(run, AbortSignal.any([signal, watchdog.signal]))
  let end: End
  try {
    end = await playAll(run, cells, fold)
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
  samples.close()
  await Promise.all([cells.close(), target.stop()]).catch((error: unknown) => ports.log.error('Something of a sweep could not be ended', error))
  emit([{ type: 'sweep-ended', atMs: atMs(), ...end }])
}

async function playAll(run: SweepRun, cells: ReturnType<typeof createCellRunner>, fold: SweepFold): Promise<End> {
  const { plan, originMs, ports, emit, signal } = run
  const atMs = () => ports.clock.nowMs() - originMs
  const ranAgain = new Set<number>()
  let voidedByLoad = 0
  const runAgain = (cell: Cell) => {
    // Once: a cell that was added for this is not added again. A warm-up only warms at the beginning.
    if (ranAgain.has(cell.index) || cell.role === 'warm-up') return
    const again = { ...cell, index: fold.state()?.cells.length ?? 0 }
    ranAgain.add(again.index)
    emit([{ type: 'cell-added', atMs: atMs(), cell: again }])
  }
  const voidCell = (cell: Cell, reason: Problem) => emit([{ type: 'cell-void', atMs: atMs(), cell: cell.index, reason }])

  for (;;) {
    const [cell, ...ahead] = decideNext(run, fold, atMs())
    if (cell === undefined) return { outcome: 'completed', problem: null }
    const played: PlayedCell = await cells.play(cell, ahead)
    if (signal.aborted) return { outcome: 'cancelled', problem: null }
    switch (played.how) {
      case 'stopped':
        return { outcome: 'cancelled', problem: null }
      case 'target-lost':
        voidCell(cell, played.problem)
        return { outcome: 'failed', problem: played.problem }
      case 'skipped':
        voidCell(cell, played.problem)
        emit([
          {
            type: 'warning',
            atMs: atMs(),
            code: cell.leg === 'null' ? 'null-leg-missing' : 'intervention-missing',
            text: problemText(played.problem),
            cell: cell.index,
          },
        ])
        break
      case 'driver-lost':
        voidCell(cell, played.problem)
        if (played.forTheLastTime) return { outcome: 'failed', problem: played.problem }
        runAgain(cell)
        break
      case 'played': {
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

/** Asks what the measured cells ask for, and tells it. @returns the planned cells in their order, none = the sweep is done */
function decideNext({ emit }: SweepRun, fold: SweepFold, atMs: number): Cell[] {
  const state = fold.state()
  if (state === undefined) return []
  const step = nextCells({ plan: state.plan, cells: state.cells, rows: state.rows, elapsedMs: atMs })
  emit(step.skip.map(({ cell, because }) => ({ type: 'cell-skipped', atMs, cell, because })))
  for (const { cell, because, leftOut } of step.add) {
    emit([{ type: 'cell-added', atMs, cell, because }])
    if (leftOut) emit([{ type: 'cell-skipped', atMs, cell: cell.index, because }])
  }
  return plannedIn(fold.state() ?? state)
}

const plannedIn = (state: SweepState) => state.cells.filter(({ status }) => status === 'planned').map(({ cell }) => cell)

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
