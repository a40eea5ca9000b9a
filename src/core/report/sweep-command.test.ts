import { expect, test } from 'vitest'
import { sweepIdSchema } from '../result/ids.ts'
import { type SweepRequestInput, sweepRequestSchema } from '../sweep/plan.ts'
import { planSweep } from '../sweep/plan-sweep.ts'
import { sweepCommand } from './sweep-command.ts'

const commandOf = (request: SweepRequestInput) => sweepCommand(planSweep(sweepRequestSchema.parse(request), { sweepId: sweepIdSchema.parse('s') }))

test('the command names the server, the model, the levels and the seed', () => {
  const command = commandOf({ target: { kind: 'server', url: 'http://127.0.0.1:11434', model: 'smollm2:135m' }, levels: [1, 4], seed: 12 })
  expect(command).toContain('npx plimsoll sweep --server http://127.0.0.1:11434 --model smollm2:135m --levels 1,4')
  expect(command).toContain('--seed 12')
})

test('a name that would run something in a shell is quoted', () => {
  const command = commandOf({ target: { kind: 'server', url: 'http://h', model: "a'; rm -rf ~ #" }, levels: [1] })
  expect(command).toContain(`--model 'a'\\''; rm -rf ~ #'`)
})

test('the command names load and workload, and where prompts came from', () => {
  const target = { kind: 'server', url: 'http://h', model: 'm' } as const
  expect(commandOf({ target, levels: [1], load: { kind: 'sustained', spanMs: 9_000 } })).toContain('--load sustained --span 9000')
  expect(commandOf({ target, load: { kind: 'open', spanMs: 9_000, ratesPerSec: [0.5, 2] } })).toContain('--load open --span 9000 --rates 0.5,2')
  expect(commandOf({ target, levels: [1], workload: { kind: 'file', prompts: ['a'], source: './own prompts.txt' } })).toContain(
    "--workload './own prompts.txt'",
  )
  expect(commandOf({ target, levels: [1], workload: { kind: 'replay', prompts: ['a'], source: 'c1' } })).toContain('--replay c1')
  expect(commandOf({ target, levels: [1], workload: { kind: 'mixed' } })).toContain('--workload mixed --prompt-tokens')
})
