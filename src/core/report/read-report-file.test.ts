import { describe, expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { analyse } from '../analysis/analyse.ts'
import { sweepStateOf } from '../sweep/fold-sweep.ts'
import { packRawData, RAW_DATA_FORMAT } from './raw-data.ts'
import { LARGEST_REPORT_CHARS, readReportFile } from './read-report-file.ts'
import { reportJson } from './report-json.ts'

const BASE: SyntheticSettings = {
  slots: 1,
  levels: [1, 2, 4],
  waves: 6,
  prefillMs: 50,
  tokenMs: 5,
  outputTokens: 10,
  samplesPerSec: 4,
  legs: ['runner', 'direct', 'null'],
  faults: { voidCells: [2], failEvery: 3 },
  seed: 5,
}

function sweepOf(settings: Partial<SyntheticSettings> = {}) {
  const state = sweepStateOf(syntheticSweep({ ...BASE, ...settings }))
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  return { state, analysis: analyse(state) }
}

const { state, analysis } = sweepOf()
const raw = JSON.stringify(packRawData(state, analysis))
const page = `<!doctype html><html><body><script type="application/json" id="raw-data" data-file-name="x.json">${raw.replaceAll('<', '\\u003c')}</script></body></html>`

const read = (content: string) => readReportFile('mail.html', content)

function problemOf(content: string) {
  const result = read(content)
  if (result.ok) throw new Error('It was read.')
  return result.error
}

test('HTML report and saved raw data give the same sweep back, and its analysis says the same', () => {
  const [fromPage, fromJson] = [read(page), read(raw)]
  if (!fromPage.ok || !fromJson.ok) throw new Error('One could not be read.')
  expect(fromJson.value).toEqual(fromPage.value)
  const again = analyse(fromPage.value)
  expect(again.verdict.primary).toBe(analysis.verdict.primary)
  expect(again.ceilings).toEqual(analysis.ceilings)
  expect(fromPage.value.rows.length).toBe(state.rows.length)
  expect(fromPage.value.cells.map(({ status }) => status)).toEqual(state.cells.map(({ status }) => status))
  for (const [index, level] of again.levels.entries()) expect(level.wallMs.roughP50).toBeCloseTo(analysis.levels[index]?.wallMs.roughP50 ?? -1, 2)
})

test('a report of an earlier version is read: fields that came later are missing there', () => {
  const old = {
    ...state,
    cells: state.cells.map(({ because: _, ...cell }) => cell),
  }
  const result = read(JSON.stringify(packRawData(old as unknown as typeof state, analysis)))
  expect(result.ok && result.value.cells[0]?.because).toBe(null)
})

test('turns, rounds and arms that only some rows and cells have survive', () => {
  const mixed = {
    ...state,
    rows: state.rows.map((row, index) => (index % 2 === 0 ? { ...row, turn: 1 } : row)),
    cells: state.cells.map((cell, index) => (index === 1 ? { ...cell, cell: { ...cell.cell, arm: { promptTokens: 256, slots: null } } } : cell)),
  }
  const result = read(JSON.stringify(packRawData(mixed, analysis)))
  if (!result.ok) throw new Error(result.error.happened)
  expect(result.value.rows.slice(0, 2).map(({ turn }) => turn)).toEqual([1, undefined])
  expect(result.value.cells[1]?.cell.arm).toEqual({ promptTokens: 256, slots: null })
})

describe('what is no report gets a sentence of its own', () => {
  const changed = (change: (text: string) => string) => problemOf(change(raw)).code
  test('an empty file', () => expect(problemOf(' \n').code).toBe('report-empty'))
  test('another web page', () => expect(problemOf('<!doctype html><p>hello').code).toBe('report-foreign'))
  test('text', () => expect(problemOf('n,wall\n1,2').todo).toContain('plimsoll analyse'))
  test('JSON of another program', () => expect(problemOf('{"benchmarks": []}').code).toBe('report-foreign'))
  test('a list', () => expect(problemOf('[1, 2]').code).toBe('report-foreign'))
  test('a page that was cut', () => expect(problemOf(page.slice(0, page.length / 2)).code).toBe('report-cut'))
  test('JSON that was cut', () => expect(problemOf(raw.slice(0, raw.length / 2)).code).toBe('report-cut'))
  test('a newer format', () => expect(changed((text) => text.replace(RAW_DATA_FORMAT, 'plimsoll.report/9'))).toBe('report-newer'))
  test('a field of another kind', () => {
    const told = problemOf(raw.replace('"status":"completed"', '"status":"excellent"'))
    expect(told).toMatchObject({ code: 'report-damaged', happened: expect.stringContaining('status') })
  })
  test('tables whose rows are missing', () => expect(changed((text) => text.replace(/"tables":\[.*?\]\]/, '"tables":[]'))).toBe('report-damaged'))
  test('sessions of a cell that is not there', () => {
    const stray = { ...state, rows: state.rows.map((row, index) => (index === 0 ? { ...row, cell: 999 } : row)) }
    expect(problemOf(JSON.stringify(packRawData(stray, analysis))).happened).toContain('cell 999')
  })
  test('the figures without their sessions', () => {
    expect(problemOf(JSON.stringify(reportJson(state, analysis, null))).code).toBe('report-without-sessions')
  })
  test('a file too large for a report', () => expect(problemOf(' '.repeat(LARGEST_REPORT_CHARS + 1)).code).toBe('report-too-large'))
})
