/** A server that was not the same throughout: from some moment on it answered another number of requests at once (R29: slots that change with a reload). */
import type { CellState } from '../../../sweep/fold-sweep.ts'
import { levelOverlap } from '../../calls/effective-slots.ts'
import type { MeasuredWave } from '../../levels/measured-levels.ts'
import type { CaseFile, MeasuredFacts } from '../case-file.ts'
import { count } from '../phrases.ts'
import type { Doubt } from './doubt.ts'

/** Times as many answers at once as before; one more or less may be chance of a hand-over. */
const CHANGED_TIMES = 1.5
/** The overlap must have held for this share of a cell to be the server's, not the burst's. */
const HELD_RATIO = 0.25
/** Cells before and after the change, each: a single cell may be an accident. */
const FEWEST_CELLS = 2
/** So many waves of a cell show its slots. */
const ENOUGH_WAVES = 2

type CellSlots = { readonly n: number; readonly atMs: number; readonly slots: number }

export function changedServer({ levels, reload }: CaseFile): Doubt | null {
  // Where models or options are mixed, fewer answers stream at once because of that.
  if (reload.differs !== null) return null
  const cells = levels.flatMap(limitedCells).sort((a, b) => a.atMs - b.atMs)
  for (let at = FEWEST_CELLS; at <= cells.length - FEWEST_CELLS; at += 1) {
    const change = changeAt(cells.slice(0, at), cells.slice(at))
    if (change === null) continue
    return {
      mechanism: 'the server changed under the sweep',
      sentence: `The model server was not the same throughout: at first it answered ${count(change.before, 'request')} at once, later ${change.after}.`,
      toSettle: 'See whether it was restarted, reloaded or set to other slots meanwhile; then sweep again.',
      evidence: [`Answers at once where more were asked for, cell by cell: ${cells.map(({ n, slots }) => `${slots} at ${n}`).join(', ')}.`],
    }
  }
  return null
}

/** Only levels that were measured before and after can tell; at lower ones fewer answers stream in any case. */
function changeAt(earlier: readonly CellSlots[], later: readonly CellSlots[]): { before: number; after: number } | null {
  const both = new Set(earlier.map(({ n }) => n).filter((n) => later.some((cell) => cell.n === n)))
  const [before, after] = [earlier, later].map((cells) => cells.filter(({ n }) => both.has(n)).map(({ slots }) => slots))
  if (before === undefined || after === undefined || before.length < FEWEST_CELLS || after.length < FEWEST_CELLS) return null
  const isApart = Math.min(...after) >= CHANGED_TIMES * Math.max(...before) || Math.min(...before) >= CHANGED_TIMES * Math.max(...after)
  return isApart ? { before: Math.max(...before), after: Math.max(...after) } : null
}

/** Of the cells in which fewer answers streamed than were asked for, for a good part of the time: only there it is a limit of the server's. */
function limitedCells({ facts: { level } }: MeasuredFacts): CellSlots[] {
  if (level.cells.length < 2) return []
  const byCell = new Map<CellState, MeasuredWave[]>()
  for (const wave of level.waves) {
    const waves = byCell.get(wave.cell)
    if (waves === undefined) byCell.set(wave.cell, [wave])
    else if (waves.length < ENOUGH_WAVES) waves.push(wave)
  }
  return [...byCell].flatMap(([cell, waves]) => {
    const { streaming, serving, asked } = levelOverlap({ ...level, cells: [cell], waves })
    const seen = serving !== undefined && serving.lasting > streaming.lasting ? serving : streaming
    const isLimited = seen.lasting > 0 && seen.lasting < asked.lasting && seen.lastingRatio >= HELD_RATIO
    return isLimited ? [{ n: level.n, atMs: cell.startedAtMs ?? 0, slots: seen.lasting }] : []
  })
}
