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

type Stage = {
  readonly run: SweepRun
  readonly fold: SweepFold
  /** Cells that may be run; null = all, and more. */
  readonly only: Set<number> | null
  /** Indexes of cells that were added because another was void. */
  readonly ranAgain: Set<number>
}

async function playAll(run: SweepRun, cells: ReturnType<typeof createCellRunner>, fold: SweepFold, time: TimeWatch): Promise<End> {
  const { originMs, ports, signal } = run
  const chosen = run.goesOn?.continuation.only ?? null
  const stage: Stage = { run, fold, only: chosen === null ? null : new Set(chosen), ranAgain: new Set() }
  const startedAtMs = ports.clock.nowMs() - originMs
  const server = watchServer(run)
  let voidedByLoad = 0
  for (;;) {
    const [cell, ...ahead] = decideNext(stage, startedAtMs)
    if (cell === undefined) return { outcome: 'completed', problem: null }
    time.look()
    const played: PlayedCell = await cells.play(cell, ahead)
    if (signal.aborted || played.how === 'stopped') return { outcome: 'cancelled', problem: null }
    const unevenTime = time.look()
    if (unevenTime !== undefined && cell.role !== 'warm-up') {
      // What the server looked like while the machine slept says nothing of it.
      voidAndRunAgain(stage, cell, unevenTime)
      continue
    }
    if (played.how !== 'played') {
      const end = missed(stage, cell, played)
      if (end !== null) return end
      continue
    }
    const change = cell.leg === 'null' ? null : await server.look()
    if (change?.isOther === true) {
      voidCell(run, cell, change.reason)
      return { outcome: 'failed', problem: change.reason }
    }
    if (change !== null) warmAgain(stage, cell, change.reason)
    else if (judge(stage, cell, played, voidedByLoad)) voidedByLoad += 1
  }
}

/** What comes of a cell that could not be played to its end; null = the sweep goes on. */
function missed(stage: Stage, cell: Cell, played: Exclude<PlayedCell, { how: 'played' | 'stopped' }>): End | null {
  switch (played.how) {
    case 'target-lost':
      voidCell(stage.run, cell, played.problem)
      return { outcome: 'failed', problem: played.problem }
    case 'skipped': {
      voidCell(stage.run, cell, played.problem)
      const code = cell.leg === 'null' ? 'null-leg-missing' : 'intervention-missing'
      stage.run.emit([{ type: 'warning', atMs: atMsOf(stage.run), code, text: problemText(played.problem), cell: cell.index }])
      return null
    }
    case 'driver-lost':
      if (played.forTheLastTime) {
        voidCell(stage.run, cell, played.problem)
        return { outcome: 'failed', problem: played.problem }
      }
      voidAndRunAgain(stage, cell, played.problem)
      return null
  }
}

/** @returns whether a load has voided it */
function judge(stage: Stage, cell: Cell, played: PlayedCell & { how: 'played' }, cellsVoidedByLoad: number): boolean {
  const { run } = stage
  const { rows, report, absentBefore } = played
  const judged = judgeCell({ cell, rows, report, absentBefore, cellsVoidedByLoad, mixed: run.plan.workload.variants.length > 0 })
  run.emit(judged.warnings.map(({ code, text }) => ({ type: 'warning', atMs: atMsOf(run), code, text, cell: cell.index })))
  if (judged.voidBecause === null) return false
  voidAndRunAgain(stage, cell, judged.voidBecause)
  return judged.cause === 'load'
}

/** A server that was started anew is warmed, then the cell under which it was comes again. */
function warmAgain(stage: Stage, cell: Cell, reason: Problem): void {
  const { run } = stage
  run.emit([{ type: 'warning', atMs: atMsOf(run), code: reason.code, text: reason.happened, cell: cell.index }])
  const warmUp = run.plan.cells.find(({ role }) => role === 'warm-up')
  if (warmUp !== undefined) addCell(stage, warmUp, 'The server was started anew and is warmed again (M4).')
  if (cell.role !== 'warm-up') voidAndRunAgain(stage, cell, reason)
}

/** Once: a cell that was added for this is not added again. A warm-up only warms at the beginning. */
function voidAndRunAgain(stage: Stage, cell: Cell, reason: Problem): void {
  voidCell(stage.run, cell, reason)
  if (!stage.ranAgain.has(cell.index) && cell.role !== 'warm-up') stage.ranAgain.add(addCell(stage, cell))
}

function voidCell(run: SweepRun, cell: Cell, reason: Problem): void {
  run.emit([{ type: 'cell-void', atMs: atMsOf(run), cell: cell.index, reason }])
}

/** @returns its index */
function addCell({ run, fold, only }: Stage, cell: Omit<Cell, 'index'>, because?: string): number {
  const index = fold.state()?.cells.length ?? 0
  only?.add(index)
  run.emit([{ type: 'cell-added', atMs: atMsOf(run), cell: { ...cell, index }, ...(because === undefined ? {} : { because }) }])
  return index
}

const atMsOf = ({ ports, originMs }: SweepRun) => ports.clock.nowMs() - originMs

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
 * @returns the planned cells in their order, warm-ups first; none = the sweep is done
 */
function decideNext({ run, fold, only }: Stage, startedAtMs: number): Cell[] {
  const { emit } = run
  const atMs = atMsOf(run)
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
