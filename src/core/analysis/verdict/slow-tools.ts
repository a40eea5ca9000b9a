/** Tools that take longer the more sessions there are. A tool that takes its time at any N is no cause of a growth. */
import type { MeasuredFacts } from './case-file.ts'
import { count, duration } from './phrases.ts'

/** One run of the tool must take so many times as long as with few sessions. */
const SLOWER_TIMES = 1.5

export type SlowTool = { readonly name: string; readonly beforeMs: number; readonly afterMs: number; readonly text: string }

type Spent = { ms: number; runs: number }

/** The tool that added the most time; null when none takes longer than before. */
export function slowTools(base: MeasuredFacts, top: MeasuredFacts): SlowTool | null {
  const [before, after] = [spentBy(base), spentBy(top)]
  const slower = [...after].flatMap(([name, { ms, runs }]) => {
    const alone = before.get(name)
    if (alone === undefined) return []
    const [beforeMs, afterMs] = [alone.ms / alone.runs, ms / runs]
    return afterMs >= SLOWER_TIMES * beforeMs ? [{ name, beforeMs, afterMs, runs, addedMs: (afterMs - beforeMs) * runs }] : []
  })
  const [worst] = slower.sort((a, b) => b.addedMs - a.addedMs)
  if (worst === undefined) return null
  const { name, beforeMs, afterMs, runs } = worst
  const text = `The tool ${name} took ${duration(beforeMs)} a run at ${count(base.summary.n, 'session')} and ${duration(afterMs)} at ${top.summary.n} (${count(runs, 'run')}).`
  return { name, beforeMs, afterMs, text }
}

function spentBy({ facts }: MeasuredFacts): Map<string, Spent> {
  const spent = new Map<string, Spent>()
  for (const { row } of facts.turns) {
    for (const { name, startAtMs, endAtMs } of row.timeline?.tools ?? []) {
      const one = spent.get(name) ?? { ms: 0, runs: 0 }
      one.ms += Math.max(0, endAtMs - startAtMs)
      one.runs += 1
      spent.set(name, one)
    }
  }
  return spent
}
