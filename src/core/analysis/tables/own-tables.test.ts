/** Tables of the same kind as the published ones, with other numbers, names, units, servers and causes: each written with its truth. */
import { describe, expect, test } from 'vitest'
import { analyseFiles } from './analyse-files.ts'
import type { AnalysedTable } from './analysed-table.ts'

type Expected = {
  primary: string
  secondary?: string | null
  slots?: number | null
  ceiling?: number | null
  highest?: number | null
  says?: RegExp[]
  neverSays?: RegExp[]
}
type Own = { name: string; file: string; text: string; expected: Expected }

const json = (value: unknown): Pick<Own, 'file' | 'text'> => ({ file: 'own.json', text: JSON.stringify(value) })
const csv = (text: string): Pick<Own, 'file' | 'text'> => ({ file: 'own.csv', text })

const OWN: readonly Own[] = [
  {
    name: 'one slot, seconds and a German spreadsheet',
    ...csv('Nutzer;Users;Wall (s);Total tok/s;Decode tok/s per request\nx;1;6,1;31,5;34,2\nx;3;18,0;32,0;34,0\nx;6;35,9;32,1;34,1\n'),
    expected: { primary: 'model_server_queue', slots: 1, ceiling: 1, highest: 6, says: [/one effective slot/i, /unchanged/i] },
  },
  {
    name: 'two slots, free batching, time per token',
    ...csv('concurrency,output_throughput (tok/s),mean_tpot_ms,mean_ttft_ms\n1,48.5,20.1,60\n2,96.2,20.3,62\n4,97.0,20.2,2700\n8,96.8,20.3,8020\n'),
    expected: { primary: 'model_server_queue', slots: 2, ceiling: 2, highest: 8, says: [/2 effective slots/i] },
  },
  {
    name: 'three slots although four were set, by the decode rates',
    ...json({
      server: 'Zorp 2.1',
      settings: { num_parallel: 4 },
      load: 'closed loop',
      rows: [
        { agents: 1, total_tps: 60, eval_rate: 61 },
        { agents: 2, total_tps: 117, eval_rate: 60 },
        { agents: 6, total_tps: 175, eval_rate: 60 },
        { agents: 12, total_tps: 176, eval_rate: 60 },
      ],
    }),
    expected: { primary: 'model_server_queue', slots: 3, ceiling: 6, highest: 12, says: [/configured 4 slots, observed 3/i] },
  },
  {
    name: 'eight slots that share half a card, then a queue',
    ...json([
      { n: 1, agg_tok_s: 90, decode_tok_s_per_req: 92, wall_s: 2.8 },
      { n: 4, agg_tok_s: 200, decode_tok_s_per_req: 52, wall_s: 5.1 },
      { n: 8, agg_tok_s: 262, decode_tok_s_per_req: 33.5, wall_s: 7.8 },
      { n: 16, agg_tok_s: 264, decode_tok_s_per_req: 33.4, wall_s: 15.5 },
      { n: 32, agg_tok_s: 263, decode_tok_s_per_req: 33.6, wall_s: 31.1 },
    ]),
    expected: { primary: 'hardware', secondary: 'model_server_queue', slots: 8, ceiling: 8, highest: 32, says: [/extra wait is queue/i] },
  },
  {
    name: 'shared decode without any queue, CPU',
    ...json({
      hardware: 'Ryzen 7, 8 cores, no accelerator',
      rows: [
        { streams: 1, total_tok_s: 12.2, decode_tok_s_per_req: 12.4 },
        { streams: 2, total_tok_s: 13.4, decode_tok_s_per_req: 6.8 },
        { streams: 4, total_tok_s: 13.7, decode_tok_s_per_req: 3.5 },
        { streams: 8, total_tok_s: 13.5, decode_tok_s_per_req: 1.75 },
      ],
    }),
    expected: { primary: 'hardware', secondary: null, slots: null, ceiling: 2, highest: 8, says: [/the CPU/, /no queue/i], neverSays: [/GPU/] },
  },
  {
    name: 'scaling well to the last',
    ...csv('Concurrent requests\tTokens per second\tTTFT p95 (ms)\n1\t85\t40\n4\t330\t48\n16\t1190\t71\n64\t3900\t190\n'),
    expected: { primary: 'none_reached', slots: null, ceiling: null, highest: 64, says: [/not reached/i, /highest level tested is 64/i] },
  },
  {
    name: 'totals alone, flat from eight: a ceiling without a cause',
    ...csv('n,tok/s\n1,40\n2,75\n4,130\n8,190\n16,196\n32,193\n'),
    expected: { primary: 'inconclusive', slots: null, ceiling: 8, highest: 32, says: [/cause not separable/i] },
  },
  {
    name: 'totals alone and a perfect bend: still no cause',
    ...csv('n,total tok/s\n1,50\n2,100\n4,200\n8,201\n16,200\n'),
    expected: { primary: 'inconclusive', ceiling: 4 },
  },
  {
    name: 'totals alone, a bend at the configured limit',
    ...json({
      server: 'Quux --max-num-seqs 32',
      settings: { max_num_seqs: 32 },
      rows: [
        { n: 1, agg_tok_s: 60 },
        { n: 8, agg_tok_s: 460 },
        { n: 16, agg_tok_s: 890 },
        { n: 32, agg_tok_s: 1690 },
        { n: 64, agg_tok_s: 1700 },
        { n: 128, agg_tok_s: 1690 },
      ],
    }),
    expected: { primary: 'model_server_queue', slots: 32, ceiling: 32, highest: 128 },
  },
  {
    name: 'totals alone, flattening long before the limit, loss beyond',
    ...json({
      settings: { max_num_seqs: 32 },
      hardware: '2x L40',
      rows: [1, 4, 8, 16, 24, 32, 40, 64].map((n, index) => ({ n, agg_tok_s: [100, 260, 400, 620, 700, 720, 610, 640][index] })),
    }),
    expected: {
      primary: 'hardware',
      secondary: 'model_server_queue',
      slots: 32,
      ceiling: 24,
      highest: 64,
      says: [/knee 24, limit 32, loss beyond/i],
    },
  },
  {
    name: 'an admission limit of eight by first-token times',
    ...csv('users,throughput tok/s,ttft_p95_ms,latency_p95_ms\n1,100,20,1000\n4,380,25,1040\n8,740,34,1075\n16,755,1060,2110\n'),
    expected: { primary: 'model_server_queue', slots: 8, ceiling: 8, highest: 16, says: [/one full request time/i, /a queue, not a saturated/i] },
  },
  {
    name: 'first token quick, answers slower: shared decode, without decode rates',
    ...csv('users,throughput tok/s,ttft_p50_ms,latency_p50_ms\n1,50,40,2000\n2,88,45,2270\n4,112,52,3570\n8,115,60,6950\n'),
    expected: { primary: 'hardware', secondary: null, ceiling: 4, highest: 8 },
  },
  {
    name: 'a cliff above four with slow recovery',
    ...csv('batch,total tok/s\n1,70\n2,120\n4,190\n6,80\n8,95\n12,120\n'),
    expected: { primary: 'model_server_engine', ceiling: 4, highest: 12, says: [/operate at 4/i, /engine path/i, /worse than 2/] },
  },
  {
    name: 'speculative decoding that gets worse with every session',
    ...json({
      server: 'llama-server with a draft model',
      rows: [
        { n: 1, agg_tok_s: 110 },
        { n: 2, agg_tok_s: 71 },
        { n: 4, agg_tok_s: 38 },
      ],
    }),
    expected: { primary: 'model_server_engine', ceiling: 1, highest: 4, says: [/speculative/i] },
  },
  {
    name: 'a pool of fifty in the client',
    ...json({
      settings: { max_connections: 50 },
      rows: [
        { n: 25, in_flight_at_server: 25 },
        { n: 100, in_flight_at_server: 50 },
        { n: 400, in_flight_at_server: 50 },
      ],
    }),
    expected: { primary: 'runner_process', slots: 50, ceiling: 50, highest: 400, says: [/client pool/i], neverSays: [/rate limit/i] },
  },
  {
    name: 'six connections, as a browser has them',
    ...csv('sessions,observed in flight\n4,4\n8,6\n16,6\n32,6\n'),
    expected: { primary: 'runner_process', slots: 6, ceiling: 6, highest: 32 },
  },
  {
    name: 'a hundred, in the client library, with the rates beside',
    ...csv('concurrency,observed_in_flight,req/s,latency mean (ms)\n50,50,50,1000\n100,100,99,1010\n200,100,100,2000\n400,100,100,4000\n'),
    expected: { primary: 'runner_process', slots: 100, ceiling: 100, highest: 400 },
  },
  {
    name: 'the server says itself that it runs sixteen and lets the rest wait',
    ...csv('clients,num_requests_running,num_requests_waiting,total tok/s\n8,8,0,800\n16,16,0,1500\n32,16,16,1510\n64,16,48,1500\n'),
    expected: { primary: 'model_server_queue', slots: 16, ceiling: 16, highest: 64 },
  },
  {
    name: 'jobs that wait for each other in the scheduler',
    ...json({
      server: 'job scheduler',
      load: '40 queued jobs of two repositories',
      rows: [
        { configured_workers: 4, observed_running: 2 },
        { configured_workers: 16, observed_running: 2 },
      ],
    }),
    expected: {
      primary: 'job_scheduler',
      slots: 2,
      ceiling: 2,
      highest: 16,
      says: [/configured 16, observed 2/i, /repository lock/i],
      neverSays: [/raise/i],
    },
  },
  {
    name: 'builds on six cores',
    ...json({
      hardware: '6-core laptop',
      load: '24 build jobs, cap n',
      rows: [
        { n: 1, wall_s: 240, sum_job_s: 240 },
        { n: 3, wall_s: 84, sum_job_s: 250 },
        { n: 6, wall_s: 50, sum_job_s: 288 },
        { n: 12, wall_s: 48, sum_job_s: 530 },
      ],
    }),
    expected: { primary: 'hardware', ceiling: 6, highest: 12, says: [/stretch per job/i, /24 jobs at n=12 is two waves/i] },
  },
  {
    name: 'open loop above what one slot carries',
    ...json({
      load: 'open loop, Poisson',
      settings: { service_ms: 400 },
      rows: [
        { arrival_rps: 0.5, mean_ms: 430, p95_ms: 600, decode_tok_s_per_req: 150, inflight_at_submit: 0.2 },
        { arrival_rps: 2, mean_ms: 1100, p95_ms: 2100, decode_tok_s_per_req: 151, inflight_at_submit: 2.1 },
        { arrival_rps: 4, mean_ms: 5200, p95_ms: 9900, decode_tok_s_per_req: 149, inflight_at_submit: 12 },
      ],
    }),
    expected: { primary: 'model_server_queue', slots: 1, ceiling: null, highest: null, says: [/same decode rate at 12 in flight as at 0\.2/i] },
  },
  {
    name: 'open loop below saturation',
    ...csv('request rate,mean latency (ms),p95 latency (ms)\n1,800,900\n2,810,930\n4,840,1000\n'),
    expected: { primary: 'none_reached', ceiling: null, highest: null },
  },
  {
    name: 'open loop, decode shared',
    ...json([
      { arrival_rps: 1, mean_ms: 1000, decode_tok_s_per_req: 100 },
      { arrival_rps: 4, mean_ms: 2600, decode_tok_s_per_req: 39 },
    ]),
    expected: { primary: 'hardware', ceiling: null },
  },
  {
    name: 'slots set to 2 and 8, nothing changes',
    ...json([
      ...[1, 4, 8].map((arrival_rps, index) => ({ configured_slots: 2, arrival_rps, mean_ms: [700, 4000, 9000][index], decode_tok_s_per_req: 80 })),
      ...[1, 4, 8].map((arrival_rps, index) => ({ configured_slots: 8, arrival_rps, mean_ms: [690, 4050, 8900][index], decode_tok_s_per_req: 80.5 })),
    ]),
    expected: { primary: 'model_server_queue', ceiling: null, says: [/configured 8, observed 2/i, /did not take effect/i] },
  },
  {
    name: 'think time empties a queue of two slots',
    ...json({
      load: 'closed loop n=6, think time swept',
      settings: { n: 6, num_predict: 100 },
      rows: [
        { think_ms: 0, sustained_agg_tok_s: 200, wall_ms: 3000 },
        { think_ms: 500, sustained_agg_tok_s: 200, wall_ms: 2500 },
        { think_ms: 1500, sustained_agg_tok_s: 198, wall_ms: 1530 },
        { think_ms: 4000, sustained_agg_tok_s: 116, wall_ms: 1170 },
      ],
    }),
    expected: { primary: 'model_server_queue', slots: 2, ceiling: null, highest: 6, says: [/depends on think time/i] },
  },
  {
    name: 'two model families, one forced to a single slot',
    ...csv('n,model,configured slots,observed slots\n16,alpha-7b,16,16\n16,beta-vl-8b,16,1\n'),
    expected: { primary: 'model_server_queue', slots: 1, ceiling: 1, highest: 16, says: [/per model family, not per server setting/i] },
  },
  {
    name: 'totals that are n times the rate per request, with walls',
    ...json({
      settings: { max_tokens: 200 },
      load: 'burst of n',
      rows: [
        { n: 1, wall_s: 2.5, decode_tok_s_per_req: 100, agg_tok_s: 100 },
        { n: 2, wall_s: 2.9, decode_tok_s_per_req: 88, agg_tok_s: 176 },
        { n: 4, wall_s: 3.5, decode_tok_s_per_req: 74, agg_tok_s: 296 },
      ],
    }),
    expected: { primary: 'none_reached', ceiling: null, says: [/tokens \/ wall/i, /25-29% too high|25-30% too high/i], neverSays: [/\b296\b/] },
  },
  {
    name: 'totals that are n times a flat rate, without walls: nothing can be told',
    ...csv('n,decode tok/s per request,total tok/s\n1,40,40\n2,40,80\n4,40,160\n8,40,320\n'),
    expected: { primary: 'inconclusive', ceiling: null, says: [/no measurement of a total/i] },
  },
  {
    name: 'the engine alone, batches of n',
    ...json({
      server: 'engine, no HTTP',
      load: 'engine batch of n',
      rows: [1, 2, 4, 8, 16].map((n, index) => ({ n, decode_agg_tok_s: [30, 55, 90, 100, 101][index], t_prefill_s: 0.2 * n, t_decode_s: 4 })),
    }),
    expected: { primary: 'hardware', slots: null, ceiling: 8, neverSays: [/effective slot/i] },
  },
  {
    name: 'processes that nobody batches',
    ...json({
      server: 'no server: one process each',
      rows: [
        { n: 1, agg_tok_s: 30 },
        { n: 4, agg_tok_s: 33 },
        { n: 8, agg_tok_s: 32 },
      ],
    }),
    expected: { primary: 'inconclusive', slots: null, ceiling: null, says: [/no batching/i] },
  },
  {
    name: 'the provider refuses',
    ...csv('n,requests,http 429,latency p50 (ms)\n2,100,0,900\n8,100,0,950\n16,100,22,940\n32,100,61,930\n'),
    expected: { primary: 'provider_limit', ceiling: 8, highest: 32 },
  },
  {
    name: 'the load generator waits for itself',
    ...csv('n,dispatch delay ms,latency mean ms\n4,5,200\n16,900,205\n64,4000,210\n'),
    expected: { primary: 'load_generator', ceiling: null },
  },
  {
    name: 'a model that is loaded again and again',
    ...csv('n,load ms,total tok/s\n1,5200,20\n2,4900,21\n4,6100,20\n'),
    expected: { primary: 'model_server_reload' },
  },
  {
    name: 'prompts read one after another by the server',
    ...csv(
      'n,prefill_ms,latency mean (ms),total tok/s,decode tok/s per req\n1,400,1400,71,100\n2,780,1790,112,99\n4,1600,2600,154,99\n8,3300,4250,188,98\n16,6700,7600,190,99\n',
    ),
    expected: { primary: 'hardware', ceiling: 8, says: [/prefill/i] },
  },
  {
    name: 'one row',
    ...csv('n,total tok/s,ttft ms\n8,120,300\n'),
    expected: { primary: 'inconclusive', ceiling: null, highest: 8, says: [/one level only/i] },
  },
  {
    name: 'GPU busy from the beginning, and still scaling',
    ...csv('n,total tok/s,gpu util %\n1,30,88\n4,118,95\n16,430,96\n'),
    expected: { primary: 'none_reached', says: [/is not saturation/i] },
  },
  {
    name: 'slots themselves varied at one n: they move the total',
    ...csv('n,slots,total tok/s\n16,1,40\n16,2,79\n16,4,155\n16,8,300\n'),
    expected: { primary: 'model_server_queue', ceiling: null, highest: 16 },
  },
  {
    name: 'slots themselves varied at one n: they only share',
    ...csv('n,slots,total tok/s,decode tok/s per request\n16,1,40,41\n16,2,43,22\n16,4,44,11.4\n16,8,44,5.8\n'),
    expected: { primary: 'hardware', ceiling: null, highest: 16 },
  },
  {
    name: 'two slots, two levels, decode shared: most of the time added is waiting',
    ...json([
      { n: 1, configured_slots: 2, ttft_p50_ms: 70, latency_p50_ms: 5100, decode_tok_s_per_req: 60, derived_agg_tok_s: 59 },
      { n: 4, configured_slots: 2, ttft_p50_ms: 8400, latency_p50_ms: 17000, decode_tok_s_per_req: 35.5, derived_agg_tok_s: 70.4 },
    ]),
    expected: { primary: 'model_server_queue', secondary: 'hardware', slots: 2, highest: 4 },
  },
  {
    name: 'time per token constant, full from the smallest level tested',
    ...csv(
      'Conc.,RPS,Avg Lat.(s),Gen. toks/s,Avg TTFT(s),Avg TPOT(s),Success Rate\n6,1.5,4,150,2.0,0.02,100%\n12,1.5,8,151,6.0,0.02,100%\n24,1.5,16,150,14,0.0201,100%\n48,1.5,32,150,30,0.02,100%\n',
    ),
    expected: { primary: 'model_server_queue', slots: 3, ceiling: 6, highest: 48 },
  },
  {
    name: 'prefill times alone that grow with n, decode as fast as ever',
    ...csv(
      'n,t_prefill_s,ttft_s,decode tok/s per req,total tok/s\n1,0.9,0.9,50,34\n2,1.8,1.8,50,43\n4,3.6,3.6,49,50\n8,7.1,7.1,50,53\n16,14.3,14.3,50,54\n',
    ),
    expected: { primary: 'hardware', says: [/prefill/i], neverSays: [/effective slot/i] },
  },
  {
    name: 'refusals named by their status',
    ...csv('n,ok,failed,status\n5,5,0,200\n10,10,0,200\n40,11,29,429\n80,10,70,429\n'),
    expected: { primary: 'provider_limit', ceiling: 10, highest: 80 },
  },
  {
    name: 'refusals in the words of the provider',
    ...json([
      { n: 3, started: 3, failed: 0 },
      { n: 12, started: 12, failed: 8, error: 'Server is temporarily limiting requests' },
    ]),
    expected: { primary: 'provider_limit', ceiling: 3, highest: 12, says: [/ramp/i] },
  },
  {
    name: 'contexts that do not fit together',
    ...json([
      { n: 2, requests: 40, failures: 0 },
      { n: 6, requests: 40, failures: 22, error: 'Context size has been exceeded' },
    ]),
    expected: { primary: 'hardware', ceiling: 2, says: [/memory ceiling/i] },
  },
  {
    name: 'many fail and nothing says why, although the total still rises',
    ...csv('n,total tok/s,requests,failures\n1,30,20,0\n4,118,80,0\n16,420,160,70\n'),
    expected: { primary: 'inconclusive', ceiling: 4, highest: 16, neverSays: [/nothing gives way/i] },
  },
  {
    name: 'wall and decode rate only, decimal commas as text, unordered and repeated',
    ...json({
      load: 'burst of n',
      rows: [
        { n: 4, 'Wall (s)': '12,3', 'Decode tok/s per req': '40,1' },
        { n: 1, 'Wall (s)': '6,2', 'Decode tok/s per req': '40,3' },
        { n: 8, 'Wall (s)': '24,9', 'Decode tok/s per req': '39,8' },
        { n: 4, 'Wall (s)': '12,5', 'Decode tok/s per req': '40,0' },
        { n: 2, 'Wall (s)': '6,3', 'Decode tok/s per req': '40,2' },
      ],
    }),
    expected: { primary: 'model_server_queue', slots: 2, ceiling: 2, highest: 8 },
  },
  {
    name: 'jobs that race for a lock when they start',
    ...json({
      load: 'n jobs, each in a checkout of its own',
      rows: [
        { n: 1, ok: 1, failed: 0 },
        { n: 3, ok: 1, failed: 2, error: 'could not lock config file .git/config' },
      ],
    }),
    expected: { primary: 'job_scheduler', ceiling: 1 },
  },
  {
    name: 'sockets that were closed while nobody used them',
    ...json([
      { n: 8, requests: 400, failures: 0 },
      { n: 32, requests: 400, failures: 60, error: 'read ECONNRESET' },
    ]),
    expected: { primary: 'runner_process', ceiling: 8 },
  },
  {
    name: 'each session more makes the whole slower',
    ...json({
      server: 'speculative decoding on',
      rows: [
        { n: 1, agg_tok_s: 100 },
        { n: 2, agg_tok_s: 83 },
        { n: 3, agg_tok_s: 68 },
        { n: 4, agg_tok_s: 56 },
      ],
    }),
    expected: { primary: 'model_server_engine', ceiling: 1, highest: 4 },
  },
  {
    name: 'offered against completed, first tokens late, pace kept: four slots',
    ...csv('request_rate,request_throughput,mean latency (ms),tpot_ms\n1,1.0,1000,10\n2,2.0,1050,10\n4,3.9,1900,10\n8,4.0,21000,10\n'),
    expected: { primary: 'model_server_queue', slots: 4, ceiling: null },
  },
  {
    name: 'names of another house: tokens/s/user, num_concurrent_requests',
    ...csv('num_concurrent_requests,Tokens/s,Tokens/s/user (decode),note\n1,49,50,\n2,97,50,\n6,98,50,\n12,98,50,\n'),
    expected: { primary: 'model_server_queue', slots: 2, ceiling: 2, highest: 12 },
  },
  {
    name: 'contexts thrown out and computed again',
    ...csv('n,total tok/s,preemptions\n8,400,0\n16,720,0\n32,900,41\n64,880,1065\n'),
    expected: { primary: 'hardware', ceiling: 32, highest: 64, says: [/memory/i] },
  },
  {
    name: 'six places, one long job',
    ...json([{ n: 6, sum_job_s: 229, wall_s: 100, slowest_job_s: 91 }]),
    expected: { primary: 'job_scheduler', ceiling: null, highest: 6, says: [/2\.29x/, /critical path/i] },
  },
]

describe('tables that nobody published', () => {
  test.each(OWN.map((own) => [own.name, own] as const))('%s', (_, { file, text, expected }) => {
    const { tables, problems } = analyseFiles([{ name: file, text }])
    expect(problems).toEqual([])
    const [table] = tables
    expect(outcome(table, expected)).toEqual(wanted(expected))
    for (const pattern of expected.says ?? []) expect(table?.claims.join('\n')).toMatch(pattern)
    const everything = JSON.stringify([table?.claims, table?.verdict])
    for (const pattern of expected.neverSays ?? []) expect(everything).not.toMatch(pattern)
  })
})

/** Only what the truth of the table says. */
function wanted({ primary, secondary, slots, ceiling, highest }: Expected) {
  return Object.fromEntries(Object.entries({ primary, secondary, slots, ceiling, highest }).filter(([, value]) => value !== undefined))
}

function outcome(table: AnalysedTable | undefined, expected: Expected) {
  const all = {
    primary: table?.verdict.primary,
    secondary: table?.verdict.secondary,
    slots: table?.verdict.effectiveSlots,
    ceiling: table?.ceilingN,
    highest: table?.highestTestedN,
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => expected[name as keyof Expected] !== undefined))
}
