/** The load driver's parent end: one child, one wave at a time. A driver that dies or hangs is `lost`, once and for good; the owner forks another. */
import type { Cell, SweepPlan } from '../../../core/sweep/plan.ts'
import type { DriverReport, Lane } from '../../../core/sweep/sweep-event.ts'
import type { TurnRow } from '../../../core/sweep/turn-row.ts'
import type { DriverCommand, DriverMessage, LoadPath } from '../../load-driver/messages.ts'
import type { ChildHandle } from '../../platform/child.ts'
import type { Clock } from '../../platform/clock.ts'

export type DriverListener = {
  onWaveStarted(wave: number, atMs: number): void
  onRows(rows: readonly TurnRow[]): void
  onLanes(wave: number, lanes: readonly Lane[]): void
  /** What the runner says of turns that did not go as they were asked for. */
  onNotice?(text: string): void
}

export type Driver = {
  readonly pid: number | undefined
  beginCell(plan: SweepPlan, cell: Cell, path: LoadPath, listener: DriverListener): void
  /** @param limitMs a wave that takes longer means a hung driver: it is killed */
  playWave(wave: number, limitMs: number, signal: AbortSignal): Promise<'ended' | 'lost'>
  /** Null when the driver is lost. */
  endCell(): Promise<DriverReport | null>
  /** Sessions that the runner may still hold for the wave under way. */
  openSessions(): readonly string[]
  close(): Promise<void>
}

/** An answer to a question off the clock. */
const ANSWER_LIMIT_MS = 10_000

export function startDriver(child: ChildHandle, clock: Clock): Driver {
  let lost = false
  let listener: DriverListener | undefined
  let sessions: string[] = []
  let whenWaveEnds: (how: 'ended' | 'lost') => void = () => {}
  let whenReported: (report: DriverReport | null) => void = () => {}

  const giveUp = () => {
    lost = true
    whenWaveEnds('lost')
    whenReported(null)
  }
  const send = (command: DriverCommand) => child.send(command)
  const stopExit = child.onExit(giveUp)
  const stopMessages = child.onMessage((received) => {
    const message = received as DriverMessage
    switch (message.type) {
      case 'ready':
        return
      case 'session-opened':
        sessions.push(message.sessionId)
        return
      case 'wave-started':
        return listener?.onWaveStarted(message.wave, message.atMs)
      case 'notice':
        return listener?.onNotice?.(message.text)
      case 'turns-ended':
        return listener?.onRows(message.rows)
      case 'lanes':
        return listener?.onLanes(message.wave, message.lanes)
      case 'wave-ended':
        sessions = []
        return whenWaveEnds('ended')
      case 'cell-ended':
        return whenReported(message.report)
    }
  })
  const close = async () => {
    stopExit()
    stopMessages()
    giveUp()
    await child.stop()
  }

  return {
    pid: child.pid,
    beginCell(plan, cell, path, cellListener) {
      listener = cellListener
      send({ type: 'begin-cell', plan, cell, path })
    },
    playWave(wave, limitMs, signal) {
      if (lost) return Promise.resolve('lost')
      return new Promise((resolve) => {
        let stopLimit = clock.after(limitMs, () => void close())
        const abort = () => {
          send({ type: 'abort-wave' })
          stopLimit()
          stopLimit = clock.after(ANSWER_LIMIT_MS, () => void close())
        }
        whenWaveEnds = (how) => {
          stopLimit()
          signal.removeEventListener('abort', abort)
          whenWaveEnds = () => {}
          resolve(how)
        }
        signal.addEventListener('abort', abort)
        send({ type: 'play-wave', wave })
        if (signal.aborted) abort()
      })
    },
    endCell() {
      if (lost) return Promise.resolve(null)
      return new Promise((resolve) => {
        const stopLimit = clock.after(ANSWER_LIMIT_MS, () => whenReported(null))
        whenReported = (report) => {
          stopLimit()
          whenReported = () => {}
          resolve(report)
        }
        send({ type: 'end-cell' })
      })
    },
    openSessions: () => sessions,
    close,
  }
}
