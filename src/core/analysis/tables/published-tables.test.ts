/** The 24 published curves: given without what is expected and without what was concluded, they must come out as they should. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyseFiles } from './analyse-files.ts'
import type { AnalysedTable } from './analysed-table.ts'

type Expected = {
  primary: string
  effective_slots: number | null
  ceiling_n: number | null
  highest_tested_n: number | null
  must_say: string[]
  must_not_say: string[]
}
type Published = { id: string; rows: Record<string, unknown>[]; expected_verdict: Expected; published_conclusion: string }

const all = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../test/fixtures/published-tables.json'), 'utf8')) as Published[]

/** What must stand among the claims, by its figures and the words that carry the meaning. */
const KEY_WORDS: Readonly<Record<string, readonly (readonly RegExp[])[]>> = {
  'm1-ollama-default-1slot': [[/queue wait explains the growth/i, /decode rate per request is (unchanged|constant)/i], [/one effective slot/i]],
  'm1-ollama-4slots': [
    [/n=4 to n=8 wall doubles/i, /decode is flat/i, /extra wait is queue/i],
    [/n=2 gains nothing/i, /batch of 2 costs as much as a batch of 4/i, /do not smooth/i],
  ],
  'tr129-llama3.2-1b': [
    [/decode rate per request is constant over n/i],
    [/not being shared/i],
    [/at n=1/i, /outside decode/i, /400 ms/, /subtract the n=1 residual/i],
    [/new connection per request/i, /separately/i],
  ],
  'tr129-qwen2.5-1.5b': [[/constant over n/i], [/outside decode/i, /subtract the n=1 residual/i], [/new connection per request/i]],
  'tr129-think-time-n4-1b': [
    [/depends on think time/i, /profile/i],
    [/aggregate above slots x decode rate/i, /computation error/i],
  ],
  'tr128-num-parallel-no-effect': [
    [/configured 4, observed 1/i, /did not take effect, or the model forbids it/i, /log line/i],
    [/same decode rate at 12 in flight as at 0\.7/i, /nothing was batched/i],
  ],
  'tr130-ollama-llama3.2-1b': [
    [/aggregate at n=2/i, /equals the solo decode rate/i, /one request decodes at a time/i],
    [/wall at n=8 is 8 service times/i],
  ],
  'tr130-vllm-llama3.2-1b': [
    [/ceiling above 8/i, /about half/i],
    [/per-agent speed fell to about half/i, /latency price/i],
  ],
  'tr130-tgi-llama3.2-1b': [
    [/ceiling above 8/i, /about half/i],
    [/per-agent speed fell to about half/i, /latency price/i],
  ],
  'tr131-pytorch-direct-1b': [[/two points, no batching/i, /cannot separate missing batching from exhausted hardware/i]],
  'm4max-ollama-large-p1': [[/overlap 1\.0/i], [/what more slots would bring/i]],
  'm4max-ollama-large-p4': [
    [/overlap 3\.98/i, /first token in 118 ms/i, /no queue/i],
    [/96\.3/, /74\.8|75/, /GPU is the ceiling now/],
  ],
  'macmini-ollama-30b-4slots': [[/memory does not grow with n inside one slot setting/i], [/run together/i, /not the queue/i]],
  'p40-llama-server': [[/ceiling found at 4, cause not separable/i, /no per-request decode time or TTFT/i], [/prompt reuse is not excluded/i]],
  'llamacpp-batched-bench-7b-f16': [[/first token for a burst grows linearly/i, /0\.1 s to 3\.4 s/, /decode still scales/i, /apart/i]],
  'rtx5080-ollama-sum-of-rates': [[/tokens \/ wall/i, /20-24% too high/i], [/still scaling at 4/i]],
  'vllm-rtx4090-admission-16': [
    [/p95 first-token wait at n=32 \(547 ms\)/i, /one full request time/i, /561/, /unchanged/i, /a queue, not a saturated GPU/i],
    [/max_num_seqs/, /num_requests_waiting/],
  ],
  'vllm-dspark-max-num-seqs-64': [[/knee 48, limit 64, loss beyond/i]],
  'vllm-dp2-linear-64': [[/not reached/i, /highest level tested is 64/i], [/utilisation' of 90-94% from n=8 on is not saturation/i]],
  'engine-cliff-at-16-mtp': [[/operate at 8; 16 is worse than 2/i], [/recovery on the far side/i, /engine path, not gradual saturation/i]],
  'browser-jobs-4-cores': [[/wall\(1\)\/wall\(n\)/i, /stretch per job = sum\(n\)\/sum\(1\)/i], [/9 jobs at n=8 is two waves/i]],
  'scheduler-repo-lock-32-workers': [
    [/configured 32, observed 1/i, /blocked reason is a repository lock/i, /holds it/i],
    [/running jobs over time, not the setting/i],
  ],
  'client-pool-cap-10': [[/pinned at 10/i, /round number/i, /client pool/i], [/time waiting for a socket is not server time/i]],
  'ollama-arch-forces-1-slot': [[/slot count is per model family, not per server setting/i]],
}

/** Words that a wrong reading of this table would use. */
const WRONG_WORDS: Readonly<Record<string, readonly RegExp[]>> = {
  'm1-ollama-default-1slot': [/memory was short/i, /GPU saturated/i],
  'm1-ollama-4slots': [/ceiling (is|of|at) 2/i],
  'tr129-llama3.2-1b': [/GPU is the limit/i, /Amdahl/i],
  'tr129-qwen2.5-1.5b': [/GPU is the limit/i, /Amdahl/i],
  'tr129-think-time-n4-1b': [/454/],
  'tr128-num-parallel-no-effect': [/has no effect/i],
  'tr130-ollama-llama3.2-1b': [/bandwidth/i],
  'tr130-vllm-llama3.2-1b': [/ceiling is 8/i],
  'tr130-tgi-llama3.2-1b': [/ceiling is 8/i],
  'tr131-pytorch-direct-1b': [/proven/i],
  'm4max-ollama-large-p1': [/removes the ceiling/i, /GPU saturated/i],
  'm4max-ollama-large-p4': [/(?<!no |not the )queue/i, /four times/i],
  'macmini-ollama-30b-4slots': [/memory cliff/i, /swap/i],
  'p40-llama-server': [/decode rate fell/i],
  'llamacpp-batched-bench-7b-f16': [/perfect/i],
  'rtx5080-ollama-sum-of-rates': [/384/],
  'vllm-rtx4090-admission-16': [/compute[- ]bound/i],
  'vllm-dspark-max-num-seqs-64': [/128 is fine/i],
  'vllm-dp2-linear-64': [/saturated/i],
  'engine-cliff-at-16-mtp': [/smooth curve/i],
  'browser-jobs-4-cores': [/5\.9/],
  'scheduler-repo-lock-32-workers': [/raise/i],
  'client-pool-cap-10': [/rate limit/i],
  'ollama-arch-forces-1-slot': [/set OLLAMA/i],
}

function stripped({ id: _id, expected_verdict: _expected, published_conclusion: _published, rows, ...rest }: Published, withoutDerived = false) {
  const kept = withoutDerived ? rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'derived_overlap'))) : rows
  const { source_url: _url, source_ref: _ref, ...facts } = rest as Record<string, unknown>
  return { ...facts, rows: kept }
}

function analysed(value: unknown): AnalysedTable {
  const { tables, problems } = analyseFiles([{ name: 'table.json', text: JSON.stringify(value) }])
  expect(problems).toEqual([])
  expect(tables).toHaveLength(1)
  const [table] = tables
  if (table === undefined) throw new Error('no table')
  return table
}

describe('published tables come out as they should, without their author’s conclusion', () => {
  test.each(all.map((one) => [one.id, one] as const))('%s', (id, published) => {
    const want = published.expected_verdict
    for (const table of [analysed(stripped(published)), analysed(stripped(published, true))]) {
      expect({
        primary: table.verdict.primary,
        slots: table.verdict.effectiveSlots,
        ceiling: table.ceilingN,
        highest: table.highestTestedN,
      }).toEqual({ primary: want.primary, slots: want.effective_slots, ceiling: want.ceiling_n, highest: want.highest_tested_n })
      for (const patterns of KEY_WORDS[id] ?? [])
        expect(
          table.claims.filter((claim) => patterns.every((pattern) => pattern.test(claim))),
          String(patterns),
        ).not.toEqual([])
      const everything = JSON.stringify([table.claims, table.verdict, table.missing])
      for (const pattern of WRONG_WORDS[id] ?? []) expect(everything).not.toMatch(pattern)
    }
  })
})

test('every published table has key words and wrong words of its own', () => {
  expect(Object.keys(KEY_WORDS).toSorted()).toEqual(all.map(({ id }) => id).toSorted())
  expect(Object.keys(WRONG_WORDS).toSorted()).toEqual(all.map(({ id }) => id).toSorted())
  expect(all).toHaveLength(24)
})

test('all cases in one file are as many analyses, in their order, and tables that differ in their slots are compared', () => {
  const { tables } = analyseFiles([{ name: 'all.json', text: JSON.stringify(all.map((one) => stripped(one))) }])
  expect(tables.map(({ verdict }) => verdict.primary)).toEqual(all.map(({ expected_verdict }) => expected_verdict.primary))
  const oneSlot = tables[all.findIndex(({ id }) => id === 'm4max-ollama-large-p1')]
  expect(oneSlot?.claims.join(' ')).toMatch(/first token 172x sooner, finished answer only 21% sooner/)
})

test('a verdict does not depend on names: id, source, server, model and hardware may be anything', () => {
  for (const one of all) {
    const { server, model, hardware: _hardware, ...rest } = stripped(one) as Record<string, unknown>
    // What the words say of the set-up (no server, a limit, speculative decoding) is evidence; the brand is not.
    const named = { ...rest, server: String(server).replace(/ollama|vllm|tgi|llama-server|llama\.cpp/gi, 'Zorp'), model: `${model}-x` }
    expect([one.id, analysed(named).verdict.primary]).toEqual([one.id, one.expected_verdict.primary])
  }
})
