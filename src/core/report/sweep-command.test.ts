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
