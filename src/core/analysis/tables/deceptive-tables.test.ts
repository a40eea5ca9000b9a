/** Tables that invite a wrong cause: each with the figure that tells the right one, in numbers of our own. */
import { describe, expect, test } from 'vitest'
import { analyseFiles } from './analyse-files.ts'
import type { AnalysedTable } from './analysed-table.ts'

function judged(text: string, name = 'own.csv'): AnalysedTable {
  const [table] = analyseFiles([{ name, text }]).tables
  if (table === undefined) throw new Error('no table')
  return table
}
const judgedJson = (value: unknown) => judged(JSON.stringify(value), 'own.json')
const said = (table: AnalysedTable) => [table.verdict.sentence, ...table.claims].join('\n')

describe('a server that counts all as running and none as waiting', () => {
  const ROWS = [
    { n: 1, ttft_mean_s: 4.1, tpot_mean_ms: 20, req_s: 0.21, requests_running: 1, requests_waiting: 0, output_tokens: 30 },
    { n: 2, ttft_mean_s: 8.2, tpot_mean_ms: 27, req_s: 0.222, requests_running: 2, requests_waiting: 0, output_tokens: 30 },
    { n: 4, ttft_mean_s: 16.6, tpot_mean_ms: 36, req_s: 0.226, requests_running: 4, requests_waiting: 0, output_tokens: 30 },
  ]
  test('has no queue: long prompts fill the hardware', () => {
    const table = judgedJson({ hardware: 'RTX 5000', rows: ROWS })
    expect(table).toMatchObject({ verdict: { primary: 'hardware', confidence: 'likely', effectiveSlots: null } })
    expect(table.verdict.mechanism).toMatch(/prefill/)
    expect(table.verdict.wouldMove).toMatch(/prompts/)
    expect(said(table)).not.toMatch(/effective slot|not being shared/)
  })
  test('and fewer running than asked for: the rest is held back in the client', () => {
    const table = judged('n,requests running,requests waiting,total tok/s\n20,20,0,900\n40,40,0,1500\n80,40,0,1510\n160,40,0,1490\n')
    expect(table).toMatchObject({ verdict: { primary: 'runner_process', effectiveSlots: 40 }, ceilingN: 40 })
  })
  test('while those who wait are counted, it is its own admission limit', () => {
    const table = judged('n,requests running,requests waiting,total tok/s\n20,20,0,900\n40,40,0,1500\n80,40,40,1510\n160,40,120,1490\n')
    expect(table).toMatchObject({ verdict: { primary: 'model_server_queue', effectiveSlots: 40 } })
  })
})

describe('cores', () => {
  test('a full core of the client is the load generator’s', () => {
    const table = judged('n,total tok/s,client_cpu_pct\n8,400,30\n16,790,60\n32,1200,98\n64,1210,100\n')
    expect(table.verdict).toMatchObject({ primary: 'load_generator', confidence: 'likely' })
  })
  test('a full core of the server while the GPU has less to do is not the GPU', () => {
    const table = judged('n,total tok/s,server_cpu_pct_one_core,gpu_util_pct\n8,700,50,90\n32,1900,99,70\n64,1950,100,61\n')
    expect(table.verdict.primary).toBe('hardware')
    expect(table.verdict.sentence).toMatch(/^One CPU core of the server/)
  })
  test('fixed work over n places goes by its wall, not by n over it', () => {
    const table = judged('workers,wall_s,cpu_pct\n1,120,25\n2,62,50\n4,34,96\n8,33,99\n')
    expect(table).toMatchObject({ verdict: { primary: 'hardware' }, ceilingN: 4 })
    expect(said(table)).toMatch(/speed-up/)
  })
})

describe('refusals and failures', () => {
  const refusals = [
    { n: 4, ok: 4, http_429: 0 },
    { n: 6, ok: 6, http_429: 0 },
    { n: 9, ok: 6, http_429: 3 },
    { n: 18, ok: 6, http_429: 12 },
  ]
  test('429 from one’s own box is an admission limit, and the constant number that comes through is it', () => {
    const table = judgedJson({ hardware: 'own box', rows: refusals })
    expect(table).toMatchObject({ verdict: { primary: 'model_server_queue', effectiveSlots: 6 }, ceilingN: 6 })
    expect(said(table)).toMatch(/12 of 18/)
  })
  test('429 from a hosted service is the provider’s', () => {
    expect(judgedJson({ server: 'hosted API', rows: refusals }).verdict.primary).toBe('provider_limit')
  })
  test('a percentage of refusals is that, not a count', () => {
    expect(
      said(
        judgedJson({
          server: 'hosted API',
          rows: [
            { n: 2, http_429_pct: 0 },
            { n: 9, http_429_pct: 31 },
          ],
        }),
      ),
    ).toMatch(/31 % at worst/)
  })
  test('a client that gives up while answers are written as fast as ever waited in a queue', () => {
    const table = judged(
      'n,ok,failed,error,slowest_ok_s,decode tok/s per request\n1,1,0,,50,20\n3,3,0,,151,20.1\n9,5,4,"request timeout after 300 s",290,20\n',
    )
    expect(table.verdict).toMatchObject({ primary: 'model_server_queue', secondary: 'runner_process', effectiveSlots: 1 })
  })
  test('words that name no known cause are quoted, never called missing', () => {
    const table = judged('n,ok,failed,error\n1,10,0,\n8,5,5,flux capacitor misaligned\n')
    expect(table.verdict.sentence).toMatch(/flux capacitor/)
    expect(table.missing.join()).not.toMatch(/message of the failures/)
  })
})

describe('the measurement itself', () => {
  test('the smallest level measured again at the end with other figures voids those between', () => {
    const rows = (last: number) => judged(`n,total tok/s,decode tok/s per request\n1,30,31\n2,44,22\n4,48,12\n8,47,6\n1,${last},${last + 1}\n`)
    expect(rows(24).verdict.primary).toBe('invalid_measurement')
    expect(rows(27.5)).toMatchObject({ verdict: { primary: 'hardware', confidence: 'suspected' } })
    expect(rows(29.8)).toMatchObject({ verdict: { primary: 'hardware', confidence: 'likely' } })
  })
  test('slots that change within the table belong to two servers', () => {
    const table = judged('n,observed slots,total tok/s,decode tok/s per request\n1,3,40,42\n3,3,80,29\n6,3,81,29\n12,6,99,18\n')
    expect(table.verdict.primary).toBe('invalid_measurement')
  })
  test('arms at one n are compared: a connection for each request, resets on reused ones, a buffer on the way', () => {
    const connect = judged('n,arm,connect_ms,ttft_ms\n4,localhost,1500,1620\n4,127.0.0.1,2,122\n')
    expect(connect.verdict.primary).toBe('load_generator')
    expect(said(connect)).toMatch(/127\.0\.0\.1/)
    const resets = judged('n,arm,requests,resets\n40,kept connections,1000,90\n40,fresh connections,1000,0\n')
    expect(resets.verdict).toMatchObject({ primary: 'runner_process', confidence: 'likely' })
    const buffered = judged('n,arm,ttft_ms,latency_ms,itl_ms\n4,direct,90,3000,22\n4,proxy,2980,3001,0.01\n')
    expect(buffered.verdict.primary).toBe('invalid_measurement')
  })
  test('half the model outside the GPU’s memory is memory, not slots', () => {
    const table = judged(
      'n,configured slots,size_vram_ratio,total tok/s,decode tok/s per request\n1,1,1,50,52\n4,1,1,51,52\n1,4,0.6,12,13\n4,4,0.6,25,7\n',
    )
    expect(table.verdict).toMatchObject({ primary: 'hardware' })
    expect(table.verdict.mechanism).toMatch(/memory/)
  })
})

describe('shapes of tables', () => {
  const ONE_SLOT = { verdict: { primary: 'model_server_queue', effectiveSlots: 1 }, ceilingN: 1, highestTestedN: 6 }
  test.each([
    ['German headings', 'Anfragen;Laufzeit (s);Gesamt tok/s;Decode tok/s je Anfrage\n1;4,0;24,1;26,0\n3;11,9;24,6;25,9\n6;23,7;24,8;26,1\n'],
    [
      'levels as columns',
      '| metric | 1 | 3 | 6 |\n|---|---|---|---|\n| wall (s) | 4 | 11.9 | 23.7 |\n| total tok/s | 24.1 | 24.6 | 24.8 |\n| decode tok/s per request | 26 | 25.9 | 26.1 |\n',
    ],
    [
      'levels with their name, a column of remarks',
      'concurrency,total tok/s,decode tok/s per request,note\nc=1,24.1,26,first\nc=3,24.6,25.9,\nc=6,24.8,26.1,\n',
    ],
  ])('%s', (_, text) => {
    expect(judged(text)).toMatchObject(ONE_SLOT)
  })
  test('minutes of a wall are no minimum, and shares of bandwidth no memory', () => {
    const jobs = judged('n,wall_min,sum_job_min,slowest_job_min\n1,90,90,20\n6,40,90,20\n')
    expect(said(jobs)).toMatch(/2\.25x/)
    const busy = judged('n,total tok/s,decode tok/s per request,mem_bandwidth_pct\n1,50,52,70\n4,51,52,71\n')
    expect(said(busy)).toMatch(/bandwidth/)
    expect(said(busy)).not.toMatch(/MiB/)
  })
})
