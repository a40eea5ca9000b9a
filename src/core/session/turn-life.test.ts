import { expect, test } from 'vitest'
import { nextPhase, type TurnStep } from './turn-life.ts'

const walk = (...steps: TurnStep[]) => steps.reduce(nextPhase, 'waiting' as ReturnType<typeof nextPhase>)

test('a turn goes through the queue, its answer and background work to its end', () => {
  expect(walk('enqueue', 'admit', 'answered', 'end')).toBe('ended')
  expect(walk('admit', 'answered')).toBe('background')
})

test('a turn may end in every phase, and only once', () => {
  for (const steps of [[], ['enqueue'], ['admit'], ['admit', 'answered']] as TurnStep[][]) expect(walk(...steps, 'end')).toBe('ended')
  expect(() => walk('end', 'end')).toThrow('ended')
})

test('a step that a phase does not have is a bug', () => {
  expect(() => walk('answered')).toThrow("waiting can't take the step answered")
})
