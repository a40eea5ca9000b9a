import { test } from 'vitest'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { noParts } from '../calls/decompose-turn.ts'
import { normal } from '../curves/fit-curves.ts'
import { levelCurves } from '../curves/level-curves.ts'
import { throughputCeiling } from './throughput-ceiling.ts'
function bisected(S: number): number[] {
  const ladder = [1]
  while ((ladder.at(-1) ?? 0) < 2 * S) ladder.push(2 * (ladder.at(-1) ?? 1))
  if (ladder.length < 4) ladder.push(2 * (ladder.at(-1) ?? 1))
  let hi = ladder.find((n) => n >= S) ?? 1
  let lo = ladder.filter((n) => n < hi).at(-1) ?? 1
  const out = []
  while (hi - lo > 1 && out.length < 4) { const m = Math.round((lo + hi) / 2); out.push(m); if (m >= S) hi = m; else lo = m }
  return [...new Set([...ladder, ...out])].sort((a, b) => a - b)
}
test('explore', () => {
  for (const b of [1, 0.7]) for (const [lv, wv] of [[0.05, 0], [0, 0.05], [0.05, 0.05]] as const) for (const S of [1, 2, 3, 4, 7, 8, 12, 16]) {
    let [hit, wide, hinge] = [0, 0, 0]
    const st: Record<string, number> = {}
    for (let seed = 0; seed < 100; seed += 1) {
      const r = createSeededRandom(`x/${seed}`)
      const levels = bisected(S).map((n) => {
        const rate = 100 * Math.min(n, S) ** b * Math.exp(lv * normal(r.next))
        return { n, waves: Array.from({ length: 6 }, () => ({ turns: n, parts: noParts(), wallMs: 0, busyMs: 1000, fullTokens: rate * Math.exp(wv * normal(r.next)), fullMs: 1000 })) }
      })
      const c = levelCurves(levels, seed)
      const t = throughputCeiling(c)
      st[t.status] = (st[t.status] ?? 0) + 1
      if (c.curves.chosen?.model === 'hinge') hinge++
      if ((t.low ?? 99) <= S && (t.high ?? 99) >= S) hit++
      if ((t.high ?? 99) > 2 * (t.low ?? 1)) wide++
    }
    console.log(b, lv, wv, 'S', S, bisected(S).join(','), { hit, wide, hinge, ...st })
  }
}, 100000)
