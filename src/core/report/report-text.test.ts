import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { analyse } from '../analysis/analyse.ts'
import { type SweepState, sweepStateOf } from '../sweep/fold-sweep.ts'
import { reportText } from './report-text.ts'

const BASE: SyntheticSettings = {
  slots: 1,
  levels: [1, 2, 4],
  repeats: 2,
  waves: 8,
  prefillMs: 110,
  tokenMs: 7,
  outputTokens: 24,
  slo: { ttfaMs: 450, targetRatio: 0.8 },
  seed: 5,
}
const PLAIN = { columns: 100, color: false }

function stateOf(settings: Partial<SyntheticSettings> = {}): SweepState {
  const state = sweepStateOf(syntheticSweep({ ...BASE, ...settings }))
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  return state
}

test('table, verdict, ceilings, evidence and path stand in this order', () => {
  const state = stateOf()
  const analysis = analyse(state)
  const text = reportText(state, analysis, '/reports/x.html', PLAIN)
  const places = ['ttfa p50', analysis.verdict.sentence.slice(0, 40), 'SLO ceiling', 'Why', 'Report: /reports/x.html'].map((part) =>
    text.indexOf(part),
  )
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(places[0]).toBeGreaterThan(0)
  expect(text).toContain('(simulated)')
})

test('the mark stands at the load line’s level', () => {
  const text = reportText(stateOf(), analyse(stateOf()), null, PLAIN)
  expect(text).toMatch(/^⊖ +2 /m)
})

test('M8: too few samples are given as counts, with a line that says so', () => {
  const state = stateOf({ waves: 1, closing: false })
  const text = reportText(state, analyse(state), null, PLAIN)
  expect(text).toMatch(/ 2\/6 +2\/59 /)
  expect(text).toContain('n too small')
})

test('colour only where it is wanted, and nothing of a server’s reaches the terminal as control', () => {
  const base = stateOf()
  const state: SweepState = { ...base, facts: base.facts === null ? null : { ...base.facts, model: 'm\u001b[2J\u0007odel' } }
  const analysis = analyse(state)
  const hasEscape = (text: string) => /\p{Cc}/u.test(text.replaceAll('\n', ''))
  expect(hasEscape(reportText(state, analysis, null, PLAIN))).toBe(false)
  const colored = reportText(state, analysis, null, { ...PLAIN, color: true })
  expect(hasEscape(colored)).toBe(true)
  expect(colored).not.toContain('\u001b[2J')
})

test('a sweep that was cut off says so before its figures', () => {
  const state = stateOf({ endAfterCells: 3, outcome: 'interrupted' })
  const text = reportText(state, analyse(state), null, PLAIN)
  expect(text.indexOf('This sweep was interrupted')).toBeGreaterThan(0)
  expect(text.indexOf('This sweep was interrupted')).toBeLessThan(text.indexOf('ttfa p50'))
})

test('no line of prose is wider than the terminal', () => {
  const state = stateOf()
  const text = reportText(state, analyse(state), null, { columns: 70, color: false })
  const prose = text
    .split('\n')
    .slice(1)
    .filter((line) => !/tokens\/s|^\S* *\d+ +\d+ |^⊖/.test(line))
  expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(70)
})
