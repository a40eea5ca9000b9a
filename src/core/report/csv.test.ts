import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { analyse } from '../analysis/analyse.ts'
import { PARTS } from '../analysis/analysis.ts'
import { problem } from '../result/problem.ts'
import { sweepStateOf } from '../sweep/fold-sweep.ts'
import { csvCell, csvOf, snake } from './csv.ts'
import { LEVEL_COLUMNS, levelsCsv } from './levels-csv.ts'
import { SESSION_COLUMNS, sessionsCsv } from './sessions-csv.ts'

const state = sweepStateOf(
  syntheticSweep({
    slots: 2,
    levels: [1, 4],
    waves: 4,
    prefillMs: 30,
    tokenMs: 4,
    outputTokens: 8,
    legs: ['runner', 'null'],
    faults: { failEvery: 4 },
    seed: 2,
  }),
)
if (state === undefined) throw new Error('The synthetic sweep is empty.')

/** Lines without quoted commas only, which ours are made of here. */
const table = (csv: string) => {
  const [header = '', ...lines] = csv.trimEnd().split('\r\n')
  const names = header.split(',')
  return lines.map((line) => Object.fromEntries(line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((cell, index) => [names[index], cell])))
}

test('RFC 4180: quotes, commas and line ends are quoted, lines end in CRLF', () => {
  expect(csvCell('a "b", c')).toBe('"a ""b"", c"')
  expect(csvCell('two\nlines')).toBe('"two\nlines"')
  expect(csvOf([['a', (n: number) => n]], [1, 2])).toBe('a\r\n1\r\n2\r\n')
})

test('text that a spreadsheet would run is disarmed, numbers stay numbers', () => {
  expect(csvCell('=HYPERLINK("http://x")')).toBe('"\'=HYPERLINK(""http://x"")"')
  for (const text of ['+1', '-1', '@SUM(A1)', '\t=1', '  =1']) expect(csvCell(text).replace(/^"/, '').startsWith("'")).toBe(true)
  expect([csvCell(-1.23456), csvCell(0), csvCell(null), csvCell(Number.POSITIVE_INFINITY)]).toEqual(['-1.235', '0', '', ''])
})

test('one line a turn: warm-up too, but it counts nowhere; the parts of a turn sum to its wall', () => {
  const lines = table(sessionsCsv(state))
  expect(lines).toHaveLength(state.rows.length)
  expect(lines.filter(({ role }) => role === 'warm-up').map(({ counts }) => counts)).toEqual(['false'])
  for (const line of lines.filter(({ counts, outcome }) => counts === 'true' && outcome === 'completed')) {
    const sum = PARTS.reduce((total, part) => total + Number(line[`${snake(part)}_part_ms`]), 0)
    expect(Math.abs(sum - Number(line.wall_ms))).toBeLessThan(Math.max(1, 0.005 * Number(line.wall_ms)))
  }
})

test('what a server said of a failure can’t break out of its cell', () => {
  const [row, ...rest] = state.rows
  if (row === undefined) throw new Error('no row')
  const said = problem('server-error', '=cmd|calc, "quoted"\r\nnext', '', '')
  const csv = sessionsCsv({ ...state, rows: [{ ...row, problem: said }, ...rest] })
  expect(csv).toContain(`"'=cmd|calc, ""quoted""\r\nnext"`)
})

test('one line a leg and level, as the analysis has it', () => {
  const analysis = analyse(state)
  const lines = table(levelsCsv(state, analysis))
  expect(lines.map(({ leg, n }) => `${leg} ${n}`)).toEqual(['runner 1', 'runner 4', 'null 1', 'null 4'])
  expect(Number(lines[1]?.wall_p50_ms)).toBeCloseTo(analysis.levels[1]?.wallMs.p50 ?? -1, 2)
  expect(lines[1]?.ttfa_p99_ms).toBe('')
})

test('docs/exports.md names every column', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/exports.md'), 'utf8')
  const names = [...SESSION_COLUMNS, ...LEVEL_COLUMNS].map(([name]) => name)
  expect(new Set(SESSION_COLUMNS.map(([name]) => name)).size).toBe(SESSION_COLUMNS.length)
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
