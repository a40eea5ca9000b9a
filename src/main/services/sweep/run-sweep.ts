/**
 * Runs a plan, top to bottom: warm-up, cells in their order, void ones again, to the end, the cancel or the watchdog. The one stage of a sweep with effects;
 * what it learns leaves as events. It chooses nothing that the plan or core/sweep/judge-cell.ts does not say.
 */
import { serverNotes } from '../../../core/model-servers/server-notes.ts'
import { type Problem, problem, problemText } from '../../../core/result/problem.ts'
import { judgeCell } from '../../../core/sweep/judge-cell.ts'
import type { Cell } from '../../../core/sweep/plan.ts'
import { batchSamples } from './batch-samples.ts'
import { createCellRunner, type PlayedCell } from './cell-runner.ts'
import type { SweepRun } from './ports.ts'

type End = { readonly outcome: 'completed' | 'cancelled' | 'failed'; readonly problem: Problem | null }

/** Ends in any case, and always with `sweep-ended`; never rejects but for a bug. */
export async function runSweep(run: SweepRun): Promise<void> {
  const { plan, target, originMs, ports, emit, signal } = run
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
  ports.setRunnerFault({ blockMs: plan.request.faults.runnerBlockMs })
  const cells = createCellRunner(run, AbortSignal.any([signal, watchdog.signal]))
  let end: End
  try {
    end = await playAll(run, cells)
    if (end.outcome !== 'failed' && watchdog.signal.aborted) end = { outcome: 'failed', problem: watchdogProblem(plan.watchdogMs) }
  } catch (error) {
    ports.log.error('A sweep failed by a bug', error)
    end = {
      outcome: 'failed',
      problem: problem('internal', 'The sweep broke off by a fault of Plimsoll.', '', 'What was measured is kept; the log says more with --verbose.'),
    }
  }
  ports.setRunnerFault({ blockMs: 0 })
  stopWatchdog()
  samples.close()
  await Promise.all([cells.close(), target.stop()]).catch((error: unknown) => ports.log.error('Something of a sweep could not be ended', error))
  emit([{ type: 'sweep-ended', atMs: atMs(), ...end }])
}

async function playAll({ plan, originMs, ports, emit, signal }: SweepRun, cells: ReturnType<typeof createCellRunner>): Promise<End> {
  const atMs = () => ports.clock.nowMs() - originMs
  const queue: Cell[] = [...plan.cells]
  let nextIndex = plan.cells.length
  let voidedByLoad = 0
  const runAgain = (cell: Cell) => {
    // Once: a cell that was added is not added again. A warm-up only warms at the beginning.
    if (cell.index >= plan.cells.length || cell.role === 'warm-up') return
    const again = { ...cell, index: nextIndex++ }
    queue.push(again)
    emit([{ type: 'cell-added', atMs: atMs(), cell: again }])
  }
  const voidCell = (cell: Cell, reason: Problem) => emit([{ type: 'cell-void', atMs: atMs(), cell: cell.index, reason }])

  for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) {
    const played: PlayedCell = await cells.play(cell, queue)
    if (signal.aborted) return { outcome: 'cancelled', problem: null }
    switch (played.how) {
      case 'stopped':
        return { outcome: 'cancelled', problem: null }
      case 'target-lost':
        voidCell(cell, played.problem)
        return { outcome: 'failed', problem: played.problem }
      case 'skipped':
        voidCell(cell, played.problem)
        emit([{ type: 'warning', atMs: atMs(), code: 'null-leg-missing', text: problemText(played.problem), cell: cell.index }])
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
  return { outcome: 'completed', problem: null }
}

function watchdogProblem(watchdogMs: number): Problem {
  return problem(
    'sweep-watchdog',
    `The sweep did not end within ${Math.round(watchdogMs / 60_000)} min, the longest that its plan allows.`,
    '',
    'What was measured is kept; look whether the model server hangs.',
  )
}
