import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkReportPath, reportFileName, writeReport } from './report-file.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-report-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('a report is written with its folders, and nothing else is left beside it', async () => {
  const path = join(dir, 'a', 'b', 'report.html')
  const written = await writeReport(path, '<p>')
  expect(written).toEqual({ ok: true, value: path })
  expect(readFileSync(path, 'utf8')).toBe('<p>')
  expect(readdirSync(join(dir, 'a', 'b'))).toEqual(['report.html'])
})

test('a file where a folder is wanted, and a folder where a file is wanted, are named in a sentence', async () => {
  writeFileSync(join(dir, 'file'), '')
  for (const path of [join(dir, 'file', 'report.html'), dir]) {
    const checked = await checkReportPath(path)
    const written = await writeReport(path, '<p>')
    expect(checked.ok).toBe(false)
    expect(written.ok ? '' : written.error.happened).toContain(path)
  }
  expect(readdirSync(dir)).toEqual(['file'])
})

test.runIf(process.platform === 'linux')('a place where no folder can be made is refused, and does not hang', async () => {
  const checked = await checkReportPath('/proc/nowhere/report.html')
  expect(checked.ok ? '' : checked.error.happened).toContain('/proc/nowhere/report.html')
})

test('the name tells number and day, and no id can lead out of the folder', () => {
  const startedEpochMs = new Date(2026, 10, 30, 12).getTime()
  expect(reportFileName(7, { startedEpochMs, plan: { sweepId: 'x' } })).toBe('sweep-7-2026-11-30.html')
  expect(reportFileName(undefined, { startedEpochMs, plan: { sweepId: '../../etc' } })).toBe('sweep--etc-2026-11-30.html')
})
