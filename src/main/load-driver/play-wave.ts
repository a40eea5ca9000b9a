/**
 * One burst: all connections are made, then every turn is submitted at its planned moment, then all ends are awaited.
 * Ends in any case: by the turns, by their deadline (M2), or by the signal.
 */
import type { Problem } from '../../core/result/problem.ts'
import { problem } from '../../core/result/problem.ts'
import type { Clock } from '../platform/clock.ts'
import type { Turn } from './turn.ts'

export type WavePorts = {
  readonly clock: Clock
  /** Runs a callback after pending I/O was seen to; may sleep before, well below `spareMs`. */
  readonly nextTurnOfLoop: (callback: () => void, spareMs: number) => void
  /** The first submit is due at `atMs`. */
  readonly onStart: (atMs: number) => void
  readonly onSubmit: (lagMs: number, inFlight: number) => void
}

export type Wave = {
  readonly turns: readonly Turn[]
  readonly offsetsMs: readonly number[]
  /** From the planned moment. */
  readonly deadlineMs: number
  /** Fault switch: so many in flight at most, the others are submitted late. Absent = all at their moments. */
  readonly cap?: number | undefined
  /** Told by the turns themselves, once each. */
  readonly ended: { count: number; listener: () => void }
}

/** Turns that are prepared at the same time: more would only queue in the server's accept backlog. */
const PREPARED_AT_ONCE = 64
/**
 * Connections settle in this time; then the clock starts. A connection stands for us as soon as the system holds it, but the server has yet to take it in,
 * some tenths of a millisecond each: what is left of that when the burst comes would be counted as its latency (M1).
 */
export const leadMs = (turns: number) => Math.min(250, Math.max(12, 0.4 * turns))
/** Timers are up to this late; the rest of the wait is spent turning the loop. */
export const SPIN_MS = 3

export async function playWave(wave: Wave, ports: WavePorts, signal: AbortSignal): Promise<void> {
  await prepareAll(wave.turns, signal)
  if (!signal.aborted) {
    const startMs = ports.clock.nowMs() + leadMs(wave.turns.length)
    wave.turns.forEach((turn, i) => {
      turn.record.plannedAtMs = startMs + (wave.offsetsMs[i] ?? 0)
    })
    ports.onStart(startMs)
    await fireAll(wave, ports, signal)
    await allEnded(wave, ports, signal)
  }
  await Promise.all(wave.turns.map((turn) => turn.stop('cut', null)))
  await inPortions(wave.turns, (turn) => turn.release())
}

async function prepareAll(turns: readonly Turn[], signal: AbortSignal): Promise<void> {
  await inPortions(turns, async (turn) => {
    if (!signal.aborted) await turn.prepare()
  })
}

export async function inPortions<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += PREPARED_AT_ONCE) await Promise.all(items.slice(at, at + PREPARED_AT_ONCE).map(act))
}

/** Coarse wait by timer, the last milliseconds by turning the loop, so that answers which come meanwhile are read in time. */
function fireAll({ turns, ended, cap }: Wave, { clock, nextTurnOfLoop, onSubmit }: WavePorts, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let next = 0
    const step = () => {
      if (signal.aborted) return resolve()
      for (let turn = turns[next]; turn !== undefined; turn = turns[next]) {
        const plannedMs = turn.record.plannedAtMs
        if (clock.nowMs() < plannedMs || (cap !== undefined && next - ended.count >= cap)) break
        next += 1
        turn.fire()
        onSubmit(turn.record.submitAtMs - plannedMs, next - ended.count)
      }
      if (next === turns.length) resolve()
      else nextTurnOfLoop(step, (turns[next]?.record.plannedAtMs ?? 0) - clock.nowMs())
    }
    const firstMs = turns[0]?.record.plannedAtMs ?? 0
    clock.after(Math.max(0, firstMs - clock.nowMs() - SPIN_MS), step)
  })
}

function allEnded(wave: Wave, { clock }: WavePorts, signal: AbortSignal): Promise<void> {
  const { turns, ended, deadlineMs } = wave
  return new Promise((resolve) => {
    const last = turns.at(-1)?.record.plannedAtMs ?? clock.nowMs()
    const stopDeadline = clock.after(Math.max(0, last + deadlineMs - clock.nowMs()), () => {
      for (const turn of turns) void turn.stop('failed', deadlineProblem(deadlineMs))
    })
    const finish = () => {
      stopDeadline()
      signal.removeEventListener('abort', finish)
      ended.listener = () => {}
      resolve()
    }
    ended.listener = () => {
      if (ended.count === turns.length) finish()
    }
    signal.addEventListener('abort', finish)
    if (signal.aborted) finish()
    else ended.listener()
  })
}

export function deadlineProblem(deadlineMs: number): Problem {
  return problem(
    'turn-deadline',
    `A turn did not end within ${Math.round(deadlineMs / 1_000)} s.`,
    'Each turn has that long, all waiting included.',
    'Raise the deadline of a turn, or lower N.',
  )
}
