/** Plays one cell after the other: owns the load driver and the null server, watches that the target lives, waits for its rest. Judges nothing. */
import { type Problem, problem, problemText } from '../../../core/result/problem.ts'
import { remainingMs } from '../../../core/sweep/estimate.ts'
import { healthOf, mayStartWave } from '../../../core/sweep/judge-cell.ts'
import { asBurst, spanMsOf } from '../../../core/sweep/load-cells.ts'
import type { Cell, SweepPlan } from '../../../core/sweep/plan.ts'
import { burstOffsetsMs } from '../../../core/sweep/plan-sweep.ts'
import { shiftLane, shiftRow } from '../../../core/sweep/shift-row.ts'
import type { DriverReport } from '../../../core/sweep/sweep-event.ts'
import type { TurnRow } from '../../../core/sweep/turn-row.ts'
import { mostTurnsOf } from '../../../core/sweep/workloads.ts'
import type { LoadPath } from '../../load-driver/messages.ts'
import { deleteSessions } from './delete-sessions.ts'
import { type Driver, type DriverListener, startDriver } from './driver.ts'
import type { StartedTarget, SweepRun } from './ports.ts'
import { createIdleWatch, pause } from './server-idle.ts'

export type PlayedCell =
  | { readonly how: 'played'; readonly rows: readonly TurnRow[]; readonly report: DriverReport | null; readonly absentBefore: boolean }
  /** By the signal. */
  | { readonly how: 'stopped' }
  | { readonly how: 'driver-lost'; readonly problem: Problem; readonly forTheLastTime: boolean }
  /** The null leg could not be had: the others are not worse for it. */
  | { readonly how: 'skipped'; readonly problem: Problem }
  /** The server is gone, or its model, or nothing comes of it any more. */
  | { readonly how: 'target-lost'; readonly problem: Problem }

export type CellRunner = {
  /** @param ahead cells that follow, for the time left */
  play(cell: Cell, ahead: readonly Cell[]): Promise<PlayedCell>
  close(): Promise<void>
}

/** A wave may take this long beyond its deadline, connecting included; then the driver hangs. */
const WAVE_GRACE_MS = 60_000
const MAX_DRIVERS_LOST = 3
/** So many waves in a row of which every turn failed end the cell, and mostly the sweep. */
const MAX_FAILED_WAVES = 3
const SECOND_LOOK_MS = 500
const LIVE_EVERY_MS = 240
/** Cells of a span warm Plimsoll's own code with bursts of so many sessions at most. */
const OWN_WARM_UP_N = 16

export function createCellRunner(run: SweepRun, signal: AbortSignal): CellRunner {
  const { plan, target, originMs, ports, emit, showLive, onDriver } = run
  const { clock } = ports
  const atMs = () => clock.nowMs() - originMs
  const idle = createIdleWatch(clock)
  const ended: { cell: Cell; tookMs: number }[] = []
  const smallestN = Math.min(...plan.cells.filter(({ role }) => role !== 'warm-up').map(({ n }) => n))
  let driver: Driver | undefined
  let driversLost = 0
  let nullServer: StartedTarget | undefined
  /** Lives as long as the cell that asked for it. */
  let otherServer: StartedTarget | undefined
  /** Said once a sweep. */
  const noticed = new Set<string>()
  let failedWaves = 0
  let liveShownMs = Number.NEGATIVE_INFINITY

  const readyDriver = (): Driver => {
    if (driver === undefined) {
      driver = startDriver(ports.forkDriver(), clock)
      onDriver(driver.pid)
    }
    return driver
  }

  const loseDriver = async (server: StartedTarget): Promise<PlayedCell> => {
    const sessions = driver?.openSessions() ?? []
    await driver?.close()
    driver = undefined
    onDriver(undefined)
    driversLost += 1
    await deleteSessions(ports.runnerApi, sessions)
    await idle.waitUntilIdle({ url: server.url, kind: server.facts.kind }, clock.nowMs(), true, signal)
    const forTheLastTime = driversLost >= MAX_DRIVERS_LOST
    return { how: 'driver-lost', problem: driverLost(forTheLastTime), forTheLastTime }
  }

  const serverOf = async (cell: Cell): Promise<StartedTarget | Problem> => {
    if (cell.leg === 'null') return readyNull()
    return cell.arm?.slots == null ? target : readyOther(cell, cell.arm.slots)
  }

  /** A second server of ours for one cell, other in its slots alone; warmed like the first. */
  const readyOther = async (cell: Cell, slots: number): Promise<StartedTarget | Problem> => {
    const { target: asked } = plan.request
    if (asked.kind !== 'built-in') return problem('slots-not-ours', 'The slots of this server are not ours to change.', '', '')
    const started = await ports.startTarget({ ...asked, slots })
    if (!started.ok) return started.error
    otherServer = started.value
    const silent = { onWaveStarted() {}, onRows() {}, onLanes() {} }
    const { load: _load, ...burst } = cell
    const alone = { ...burst, n: 1, plannedOffsetsMs: [0] }
    readyDriver().beginCell(plan, alone, pathTo(otherServer, cell), silent)
    await readyDriver().playWave(0, plan.request.turnDeadlineMs + WAVE_GRACE_MS, signal)
    return otherServer
  }

  const readyNull = async (): Promise<StartedTarget | Problem> => {
    if (nullServer !== undefined) return nullServer
    const started = await ports.startNull()
    if (!started.ok) return started.error
    nullServer = started.value
    return nullServer
  }

  /** Undefined when it can be read; looks twice, since a server under load may be slow to answer. */
  const whyUnreadable = async (url: string): Promise<Problem | undefined> => {
    const first = await ports.residentModels(url)
    if (first.ok || signal.aborted) return undefined
    await pause(clock, SECOND_LOOK_MS)
    const second = await ports.residentModels(url)
    return second.ok ? undefined : serverGone(url, second.error)
  }

  /** Before the last cells are planned, the estimate knows more than the plan. */
  const timeLeftMs = (cell: Cell, ahead: readonly Cell[], nowMs: number, startedMs: number): number | null => {
    const cells = [...ended.map((e) => e.cell), cell, ...ahead]
    const plannedMs = remainingMs({ ...plan, cells }, ended, nowMs - startedMs)
    if (run.expectedMs === undefined || plannedMs === null || cells.some(({ role }) => role === 'closing')) return plannedMs
    return Math.max(plannedMs, run.expectedMs - (nowMs - originMs))
  }

  const listenerFor = (cell: Cell, rows: TurnRow[], startedMs: number, ahead: readonly Cell[]): DriverListener => ({
    onNotice(text) {
      if (noticed.has(text)) return
      noticed.add(text)
      emit([{ type: 'warning', atMs: atMs(), code: 'turns-differ', text, cell: null }])
    },
    onWaveStarted: (wave, startMs) => emit([{ type: 'wave-started', atMs: startMs - originMs, cell: cell.index, wave }]),
    onRows(news) {
      rows.push(...news)
      emit(news.map((row) => ({ type: 'turn-ended', atMs: row.endAtMs - originMs, row: shiftRow(row, originMs) })))
    },
    onLanes(wave, lanes) {
      const nowMs = clock.nowMs()
      if (nowMs - liveShownMs < LIVE_EVERY_MS) return
      liveShownMs = nowMs
      const left = timeLeftMs(cell, ahead, nowMs, startedMs)
      showLive({ nowMs: nowMs - originMs, cell: cell.index, wave, lanes: lanes.map((lane) => shiftLane(lane, originMs)), remainingMs: left })
    },
  })

  /** @returns what ends the sweep, or whether the cell goes on */
  const lookAtWave = async (cell: Cell, url: string, rows: readonly TurnRow[]): Promise<'go-on' | 'end-cell' | Problem> => {
    const health = healthOf(rows)
    if (health === 'answered') {
      failedWaves = 0
      return 'go-on'
    }
    const said = rows.find((row) => row.problem !== null)?.problem ?? null
    if (health === 'model-missing') return modelGone(said)
    const gone = await whyUnreadable(url)
    if (gone !== undefined) return gone
    failedWaves += 1
    if (failedWaves < MAX_FAILED_WAVES) return 'go-on'
    // Too much at this level is what a sweep is there to find; the same at the smallest level means that nothing works.
    if (health === 'overloaded' && cell.n > smallestN) {
      failedWaves = 0
      return 'end-cell'
    }
    return nothingWorks(cell, said)
  }

  const playWaves = async (cell: Cell, server: StartedTarget, rows: TurnRow[], startedMs: number): Promise<PlayedCell | 'done'> => {
    const limitMs = waveLimitMs(plan, cell)
    let lastWaveMs = 0
    for (let wave = 0; mayStartWave(cell, { waves: wave, elapsedMs: clock.nowMs() - startedMs, lastWaveMs }); wave++) {
      const waveMs = clock.nowMs()
      const before = rows.length
      const how = await readyDriver().playWave(wave, limitMs, signal)
      if (how === 'lost') return signal.aborted ? { how: 'stopped' } : loseDriver(server)
      if (signal.aborted) return 'done'
      lastWaveMs = clock.nowMs() - waveMs
      const next = await lookAtWave(cell, server.url, rows.slice(before))
      if (next === 'end-cell') return 'done'
      if (next !== 'go-on') return { how: 'target-lost', problem: next }
    }
    return 'done'
  }

  /** Where the null server can't be had, and from the first wave that fails on, it is left out: nothing of it counts. */
  const warmOwnCode = async (cell: Cell): Promise<void> => {
    if (cell.ownWarmUp === undefined) return
    const server = await readyNull()
    if (!('facts' in server)) return
    const rows: TurnRow[] = []
    const plain = { ...plan, workload: { ...plan.workload, variants: [] } }
    readyDriver().beginCell(plain, asBurst(cell, OWN_WARM_UP_N, burstOffsetsMs), pathTo(server, cell), {
      onWaveStarted() {},
      onRows: (news) => void rows.push(...news),
      onLanes() {},
    })
    const limitMs = plan.request.turnDeadlineMs + WAVE_GRACE_MS
    const startedMs = clock.nowMs()
    let lastWaveMs = 0
    for (
      let waves = 0;
      mayStartWave({ ...cell, ...cell.ownWarmUp, minWaves: 1 }, { waves, elapsedMs: clock.nowMs() - startedMs, lastWaveMs });
      waves++
    ) {
      const waveMs = clock.nowMs()
      const how = await readyDriver().playWave(waves, limitMs, signal)
      if (how === 'lost' || signal.aborted || rows.some((row) => row.outcome !== 'completed')) return
      lastWaveMs = clock.nowMs() - waveMs
      rows.length = 0
    }
  }

  const pathTo = (server: StartedTarget, cell: Cell): LoadPath => ({
    runner: cell.leg === 'direct' ? null : { url: ports.runnerApi.url, token: ports.runnerApi.token },
    serverUrl: server.url,
    model: server.facts.model,
    ...(server.wire === undefined ? {} : { wire: server.wire }),
  })

  const play = async (cell: Cell, ahead: readonly Cell[]): Promise<PlayedCell> => {
    if (signal.aborted) return { how: 'stopped' }
    const server = await serverOf(cell)
    if (!('facts' in server)) return { how: 'target-lost', problem: server }
    await warmOwnCode(cell)
    const checked = cell.leg !== 'null' && cell.role !== 'warm-up'
    const resident = checked ? await ports.residentModels(server.url) : undefined
    if (resident?.ok === false) {
      const gone = await whyUnreadable(server.url)
      if (gone !== undefined) return { how: 'target-lost', problem: gone }
    }
    const absentBefore = resident?.ok === true && plan.workload.variants.length === 0 && !holds(resident.value, server.facts.model)

    const startedMs = clock.nowMs()
    const rows: TurnRow[] = []
    emit([{ type: 'cell-started', atMs: startedMs - originMs, cell: cell.index }])
    readyDriver().beginCell(plan, cell, pathTo(server, cell), listenerFor(cell, rows, startedMs, ahead))
    const played = await playWaves(cell, server, rows, startedMs)
    if (played !== 'done' && played.how === 'driver-lost') return played

    const report = (await driver?.endCell()) ?? null
    const lastEndMs = rows.reduce((last, row) => Math.max(last, row.endAtMs), startedMs)
    const someWereCut = rows.some((row) => row.outcome !== 'completed')
    const lost = played !== 'done' || signal.aborted
    const drainMs = lost ? null : await idle.waitUntilIdle({ url: server.url, kind: server.facts.kind }, lastEndMs, someWereCut, signal)
    emit([{ type: 'cell-ended', atMs: atMs(), cell: cell.index, driver: report, drainMs }])
    ended.push({ cell, tookMs: clock.nowMs() - startedMs })
    if (played !== 'done') return played
    return signal.aborted ? { how: 'stopped' } : { how: 'played', rows, report, absentBefore }
  }

  const onlyNull = plan.request.legs.every((leg) => leg === 'null')
  return {
    async play(cell, ahead) {
      const played = await play(cell, ahead)
      await otherServer?.stop()
      otherServer = undefined
      if (played.how === 'target-lost' && cell.arm?.slots != null) return { how: 'skipped', problem: played.problem }
      if (played.how !== 'target-lost' || cell.leg !== 'null' || onlyNull) return played
      await nullServer?.stop()
      nullServer = undefined
      failedWaves = 0
      return { how: 'skipped', problem: played.problem }
    },
    async close() {
      onDriver(undefined)
      await Promise.all([driver?.close(), nullServer?.stop(), otherServer?.stop()])
    },
  }
}

/** Each turn has its deadline; a span, and a session of several turns, have so many after each other. */
function waveLimitMs({ request, workload }: SweepPlan, cell: Cell): number {
  return (spanMsOf(cell) ?? 0) + mostTurnsOf(workload) * request.turnDeadlineMs + WAVE_GRACE_MS
}

/** Ollama lists models with their tag, and is asked for them without. */
function holds(names: readonly string[], model: string): boolean {
  const plain = (name: string) => name.replace(/:latest$/, '')
  return names.some((name) => plain(name) === plain(model))
}

function driverLost(forTheLastTime: boolean): Problem {
  return problem(
    'driver-lost',
    `The load driver ended in the middle of a cell${forTheLastTime ? `, for the ${MAX_DRIVERS_LOST}rd time` : ''}.`,
    'It was expected to last to the end of the sweep.',
    forTheLastTime ? 'What was measured is kept; look whether something on this machine ends processes (memory?).' : '',
  )
}

function serverGone(url: string, why: Problem): Problem {
  return problem(
    'server-lost',
    `The model server at ${url} stopped answering in the middle of the sweep. ${why.happened}`.trim(),
    '',
    "What was measured until then is kept; look at the server's log, start it and run the sweep again.",
  )
}

function modelGone(said: Problem | null): Problem {
  return problem(
    'model-lost',
    `The model was gone in the middle of the sweep. ${said?.happened ?? ''}`.trim(),
    said?.expected ?? '',
    `What was measured until then is kept. ${said?.todo ?? ''}`.trim(),
  )
}

function nothingWorks(cell: Cell, said: Problem | null): Problem {
  return problem(
    'all-turns-failed',
    `In ${MAX_FAILED_WAVES} waves in a row, the last at N=${cell.n}, every turn failed. ${said === null ? '' : problemText(said)}`.trim(),
    '',
    'What was measured until then is kept.',
  )
}
