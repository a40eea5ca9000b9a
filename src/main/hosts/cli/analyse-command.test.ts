/** The command on real files: what it prints, how it ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { analysedTableSchema } from '../../../core/analysis/tables/analysed-table.ts'
import { analyseCommand } from './analyse-command.ts'
import { EXIT } from './exit-codes.ts'
import { silentIo } from './played-io.ts'

const PEERS = join(import.meta.dirname, '../../../../test/fixtures/peers')
const TABLE = 'n,total tok/s,decode tok/s per request\n1,99,100\n4,395,100\n8,398,100\n'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-analyse-'))
  mkdirSync(join(folder, 'results'))
  writeFileSync(join(folder, 'results', 'table.csv'), TABLE)
  writeFileSync(join(folder, 'results', 'notes.txt'), 'nothing to see')
  writeFileSync(join(folder, 'broken.json'), '{"rows":')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(paths: string[], json = false, input = '') {
  const played = silentIo()
  const exitCode = await analyseCommand(paths, { json }, played.io, async () => input)
  return { exitCode, out: played.out(), err: played.err() }
}

test('text: the verdict first, then claims, the table as understood, and another tool’s conclusion beside ours', async () => {
  const { exitCode, out, err } = await run([join(PEERS, 'guidellm-knee-slots4.json')])
  expect([exitCode, err]).toEqual([EXIT.done, ''])
  expect(out.indexOf('Beyond 4 sessions requests queue')).toBeLessThan(out.indexOf('What the table says'))
  expect(out.replace(/\s+/g, ' ')).toMatch(/ceiling 4, highest tested 16, effective slots 4/)
  expect(out.replace(/\s+/g, ' ')).toMatch(/GuideLLM: knee 6\.04 .*Ours: ceiling 4, model server queue/)
  expect(
    Math.max(
      ...(out
        .split('\nAs understood')[0]
        ?.split('\n')
        .map(({ length }) => length) ?? []),
    ),
  ).toBeLessThanOrEqual(100)
})

test('--json: one object for one table, a list for several; a folder of one run is one table', async () => {
  const one = await run([join(PEERS, 'aiperf-slots4')], true)
  expect(analysedTableSchema.parse(JSON.parse(one.out))).toMatchObject({
    verdict: { primary: 'model_server_queue', effectiveSlots: 4 },
    ceilingN: 4,
    highestTestedN: 16,
  })
  const several = await run([PEERS], true)
  expect((JSON.parse(several.out) as unknown[]).map((table) => analysedTableSchema.parse(table).format)).toEqual(
    expect.arrayContaining(['AIPerf', 'GuideLLM', 'vllm bench serve', 'llama-batched-bench']),
  )
})

test('standard input is read for -', async () => {
  const { exitCode, out } = await run(['-'], true, TABLE)
  expect([exitCode, JSON.parse(out).ceilingN]).toEqual([EXIT.done, 4])
})

test('a folder may hold other things; a file that was named must be readable', async () => {
  expect(await run([join(folder, 'results')])).toMatchObject({ exitCode: EXIT.done, err: '' })
  const broken = await run([join(folder, 'broken.json'), join(folder, 'results', 'table.csv')])
  expect(broken).toMatchObject({ exitCode: EXIT.failed, err: expect.stringContaining('broken.json could not be read') })
  expect(broken.out).toContain('4 effective slots')
  expect(await run([join(folder, 'nowhere')])).toMatchObject({ exitCode: EXIT.failed, out: '', err: expect.stringContaining('no file or folder') })
})

test('what a file says never reaches the terminal as control characters', async () => {
  const { out } = await run(['-'], false, 'n,total tok/s,model\n1,10,\u001b[31mred\n2,20,\u001b[31mred\n')
  expect(out.includes('\u001b')).toBe(false)
})
