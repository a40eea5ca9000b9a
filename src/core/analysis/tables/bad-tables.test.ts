/** Tables with faults: what was understood is judged, what was not is said. */
import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { packRawData } from '../../report/raw-data.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { analyse } from '../analyse.ts'
import { analyseFiles } from './analyse-files.ts'
import { analysedTableSchema } from './analysed-table.ts'

const only = (text: string, name = 'table.csv') => {
  const { tables, problems } = analyseFiles([{ name, text }])
  expect(problems).toEqual([])
  return analysedTableSchema.parse(tables[0])
}

const FOUR_SLOTS = 'n,total tok/s,decode tok/s per request\n1,99,100\n2,198,100\n4,395,100\n8,398,100\n16,397,100\n'

test('rows out of order and repeated are sorted and merged by their median, and both are said', () => {
  const table = only('n,total tok/s,decode tok/s per request\n16,397,100\n1,99,100\n8,398,100\n4,395,100\n2,198,100\n8,402,100\n8,90,100\n')
  expect(table).toMatchObject({ verdict: { primary: 'model_server_queue', effectiveSlots: 4 }, ceilingN: 4 })
  expect(table.doubts).toEqual([expect.stringContaining('not in order'), expect.stringContaining('median')])
})

test('NaN, words and numbers below zero are left out cell by cell, and said', () => {
  const table = only(`${FOUR_SLOTS}32,NaN,100\n64,broken,-5\n`)
  expect(table).toMatchObject({ verdict: { primary: 'model_server_queue', effectiveSlots: 4 }, highestTestedN: 64 })
  expect(table.ignored.map(({ what }) => what)).toEqual([
    expect.stringContaining('NaN'),
    expect.stringContaining('broken'),
    expect.stringContaining('-5'),
  ])
})

test('units in cells win over those in names, and a name without one is said to be a guess', () => {
  const table = only('users,ttft,latency\n1,60 ms,2.0 s\n4,70 ms,2100 ms\n16,6.1 s,8.2 s\n')
  expect(table.rows.map(({ ttftP50Ms, latencyP50Ms }) => [ttftP50Ms, latencyP50Ms])).toEqual([
    [60, 2000],
    [70, 2100],
    [6100, 8200],
  ])
  expect(table.understood.find(({ column }) => column === 'ttft')?.because).toContain('milliseconds')
})

test('a first token after the end of its request, and a total above slots times the decode rate, are contradictions', () => {
  expect(only('n,ttft p50 (s),latency p50 (ms),total tok/s\n1,60,2000,50\n4,70,2100,190\n').doubts.join(' ')).toMatch(/units mixed/)
  expect(only('n,configured slots,total tok/s,decode tok/s per request\n4,2,400,100\n8,2,410,100\n').doubts.join(' ')).toMatch(
    /exceeds 2 times the decode rate/,
  )
})

test('percentiles without counts are said to be that', () => {
  expect(only('n,ttft p95 ms,total tok/s\n1,50,20\n2,52,40\n').doubts).toEqual([expect.stringContaining('without the number of samples')])
})

test('columns that are not understood are named, with the reason', () => {
  expect(only('n,total tok/s,colour of the case,stdev\n1,10,red,1\n2,20,blue,1\n').ignored).toEqual([
    { what: 'column "colour of the case"', why: 'no figure is known by this name' },
    { what: 'column "stdev"', why: expect.stringContaining('spread') },
  ])
})

test('quotes, semicolons, tabs, a byte order mark, comments and Windows line ends are read alike', () => {
  const expected = only(FOUR_SLOTS).rows
  expect(
    only(`\ufeff# measured on Monday\r\n"n","total tok/s","decode tok/s per request"\r\n${FOUR_SLOTS.split('\n').slice(1).join('\r\n')}`).rows,
  ).toEqual(expected)
  expect(only(FOUR_SLOTS.replaceAll(',', ';')).rows).toEqual(expected)
  expect(only(FOUR_SLOTS.replaceAll(',', '\t')).rows).toEqual(expected)
  const cells = FOUR_SLOTS.trim().split('\n')
  expect(
    only(
      [`| ${cells[0]?.replaceAll(',', ' | ')} |`, '|---|---:|---:|', ...cells.slice(1).map((line) => `| ${line.replaceAll(',', ' | ')} |`)].join(
        '\n',
      ),
      'readme.md',
    ).rows,
  ).toEqual(expected)
})

test('JSON as rows, as columns, as lines, under a name, with NaN as Python writes it', () => {
  const rows = FOUR_SLOTS.trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number))
  const objects = rows.map(([n, total, decode]) => ({ n, agg_tok_s: total, decode_tok_s_per_req: decode }))
  const columns = { n: rows.map((row) => row[0]), agg_tok_s: rows.map((row) => row[1]), decode_tok_s_per_req: rows.map((row) => row[2]) }
  const shapes = [
    JSON.stringify(objects),
    JSON.stringify({ results: objects, note: 'x' }),
    JSON.stringify(columns),
    objects.map((row) => JSON.stringify(row)).join('\n'),
    JSON.stringify([...objects, { n: 32, agg_tok_s: 'later', decode_tok_s_per_req: 100 }]).replace('"later"', 'NaN'),
    JSON.stringify({ runs: [{ rows: objects, server: 'x' }] }),
  ]
  for (const text of shapes)
    expect(only(text, 'x.json')).toMatchObject({ verdict: { primary: 'model_server_queue', effectiveSlots: 4 }, ceilingN: 4 })
})

test.each([
  ['nothing', ''],
  ['a page', '<!doctype html><html><body>404</body></html>'],
  ['JSON that was cut', '{"rows":[{"n":1,'],
  ['prose', 'We measured it and it was fine.'],
  ['JSON without rows', '{"hello":"world"}'],
])('%s is no table, and said to be none', (_, text) => {
  const { tables, problems } = analyseFiles([{ name: 'x', text }])
  expect(tables).toEqual([])
  expect(problems).toEqual([expect.objectContaining({ code: 'table-unreadable', happened: expect.stringContaining('x could not be read') })])
})

test('one unreadable file does not hide the others', () => {
  const { tables, problems } = analyseFiles([
    { name: 'broken.json', text: '{' },
    { name: 'good.csv', text: FOUR_SLOTS },
  ])
  expect([tables.length, problems.length]).toEqual([1, 1])
})

test('only words, or no sessions at all: no verdict, and what is missing', () => {
  const table = only('name,comment\nfoo,bar\nbaz,qux\n')
  expect(table).toMatchObject({ verdict: { primary: 'inconclusive', confidence: 'cannot-tell' }, ceilingN: null, highestTestedN: null })
  expect(table.missing.length).toBeGreaterThan(0)
})

test('a megabyte of CSV is read in well under a second, and the same text gives the same bytes', () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `${1 + (index % 64)},${100 + (index % 7)}.5,12.25,"a, ""quoted"" word"`)
  const text = `n,total tok/s,decode tok/s per request,note\n${lines.join('\n')}\n`
  expect(text.length).toBeGreaterThan(1_000_000)
  const from = process.cpuUsage()
  // Time of the processor, not of the clock: others may be busy on it.
  const spentMs = () => process.cpuUsage(from).user / 1000
  const first = analyseFiles([{ name: 'big.csv', text }])
  expect(spentMs()).toBeLessThan(2500)
  expect(first.tables).toHaveLength(1)
  expect(JSON.stringify(analyseFiles([{ name: 'big.csv', text }]))).toBe(JSON.stringify(first))
  const noise = analyseFiles([{ name: 'line.csv', text: `${'9'.repeat(600_000)},${'a"'.repeat(300_000)}` }])
  expect(noise.tables.length + noise.problems.length).toBe(1)
  expect(spentMs()).toBeLessThan(8000)
})

test('a report of our own gets the full analysis, from its HTML or its raw data', () => {
  const state = sweepStateOf(syntheticSweep({ slots: 2, levels: [1, 2, 4, 8], prefillMs: 30, tokenMs: 10, outputTokens: 32, seed: 3 }))
  if (state === undefined) throw new Error('no sweep')
  const analysis = analyse(state)
  const raw = JSON.stringify(packRawData(state, analysis)).replaceAll('<', '\\u003c')
  const html = `<!doctype html><html><body><script type="application/json" id="raw-data" data-file-name="x">${raw}</script></body></html>`
  for (const [name, text] of [
    ['report.html', html],
    ['raw.json', raw],
  ] as const) {
    const { tables, problems } = analyseFiles([{ name, text }])
    expect(problems).toEqual([])
    expect(tables[0]).toMatchObject({
      format: 'Plimsoll report',
      highestTestedN: 8,
      verdict: { primary: analysis.verdict.primary, effectiveSlots: analysis.verdict.effectiveSlots },
    })
  }
})

test('curves are fitted where there are levels enough', () => {
  expect(only(FOUR_SLOTS).fits.find(({ isChosen }) => isChosen)).toMatchObject({ model: 'hinge' })
})
