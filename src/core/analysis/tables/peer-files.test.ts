/** Files that other tools really wrote, against a server with four slots; vLLM's to its documented format, against eight. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { analyseFiles } from './analyse-files.ts'

const PEERS = join(import.meta.dirname, '../../../../test/fixtures/peers')

function filesOf(...names: string[]): { name: string; text: string }[] {
  return names.flatMap((name) => {
    const path = join(PEERS, name)
    return statSync(path).isDirectory()
      ? filesOf(...readdirSync(path).map((inner) => `${name}/${inner}`))
      : [{ name, text: readFileSync(path, 'utf8') }]
  })
}

const FOUR_SLOTS = { primary: 'model_server_queue', slots: 4, ceiling: 4, highest: 16 }

function judged(...names: string[]) {
  const { tables, problems } = analyseFiles(filesOf(...names))
  expect(problems).toEqual([])
  return tables.map(({ verdict, ceilingN, highestTestedN }) => ({
    primary: verdict.primary,
    slots: verdict.effectiveSlots,
    ceiling: ceilingN,
    highest: highestTestedN,
  }))
}

test('AIPerf: a folder of levels, its records and aggregate beside them, is one table', () => {
  expect(judged('aiperf-slots4')).toEqual([FOUR_SLOTS])
})

test('AIPerf: single levels together, or the sweep’s aggregate alone as JSON or CSV', () => {
  const levels = [1, 2, 4, 8, 16].map((n) => `aiperf-slots4/concurrency_${n}/profile_export_aiperf.json`)
  expect(judged(...levels)).toEqual([FOUR_SLOTS])
  expect(judged('aiperf-slots4/sweep_aggregate/profile_export_aiperf_sweep.json')).toEqual([FOUR_SLOTS])
  expect(judged('aiperf-slots4/sweep_aggregate/profile_export_aiperf_sweep.csv')).toEqual([FOUR_SLOTS])
})

test('AIPerf: the records of one level are one row, and one row is no verdict', () => {
  const [table] = analyseFiles(filesOf('aiperf-slots4/concurrency_8/profile_export.jsonl')).tables
  expect(table).toMatchObject({ verdict: { primary: 'inconclusive' }, highestTestedN: 8 })
  expect(table?.rows[0]).toMatchObject({ n: 8, requests: 32 })
  expect(table?.rows[0]?.totalTokensPerSec).toBeCloseTo(375, -1)
})

test('GuideLLM: four slots and a queue, and its own knee of 6.04 is shown beside that', () => {
  expect(judged('guidellm-knee-slots4.json')).toEqual([FOUR_SLOTS])
  expect(judged('guidellm-knee-slots4.csv')).toEqual([FOUR_SLOTS])
  const [table] = analyseFiles(filesOf('guidellm-knee-slots4.json', 'guidellm-knee-slots4.csv')).tables
  expect(table?.published).toEqual([{ by: 'GuideLLM', text: expect.stringContaining('knee 6.04') }])
  expect(judged('guidellm-knee-slots4.json', 'guidellm-knee-slots4.csv')).toHaveLength(1)
})

test('llama-batched-bench: no queue can be named from the engine alone, and the table says so', () => {
  const { tables } = analyseFiles(filesOf('llama-batched-bench'))
  expect(tables).toHaveLength(2)
  for (const { verdict, claims } of tables) {
    expect(verdict.primary).not.toBe('model_server_queue')
    expect(verdict.effectiveSlots).toBeNull()
    expect(claims.join(' ')).toMatch(/nothing of a queue can be read|no queue/)
    expect(claims.join(' ')).toMatch(/report prefill and decode ceilings apart/)
  }
})

test('vllm bench serve: one file a level, or all as lines of one', () => {
  const eight = { primary: 'model_server_queue', slots: 8, ceiling: 8, highest: 32 }
  expect(judged('vllm-bench-serve')).toEqual([eight])
  const lines = filesOf('vllm-bench-serve').map(({ text }) => JSON.stringify(JSON.parse(text)))
  const { tables } = analyseFiles([{ name: 'appended.jsonl', text: `${lines.join('\n')}\n` }])
  expect(tables.map(({ verdict, ceilingN }) => [verdict.primary, verdict.effectiveSlots, ceilingN])).toEqual([['model_server_queue', 8, 8]])
})
