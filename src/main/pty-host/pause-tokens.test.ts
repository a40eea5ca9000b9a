import { expect, test } from 'vitest'
import { ManualClock } from '../platform/clock.ts'
import { createPauseTokens } from './pause-tokens.ts'

function create() {
  const clock = new ManualClock()
  const calls: string[] = []
  const tokens = createPauseTokens(clock, { pause: () => calls.push('pause'), resume: () => calls.push('resume') })
  return { clock, calls, tokens }
}

test('runs again only when the last has let go', () => {
  const { calls, tokens } = create()
  tokens.hold('a')
  tokens.hold('b')
  tokens.hold('a')
  tokens.release('a')
  tokens.release('never held')
  expect(calls).toEqual(['pause'])
  tokens.release('b')
  expect(calls).toEqual(['pause', 'resume'])
})

test('a token with a ceiling is taken away in time, counted from its first hold, and never twice', () => {
  const { clock, calls, tokens } = create()
  let taken = 0
  const ceiling = { afterMs: 5_000, onCeiling: () => taken++ }
  tokens.hold('viewer', ceiling)
  clock.advance(4_000)
  tokens.hold('viewer', ceiling)
  clock.advance(1_000)
  expect([calls, taken]).toEqual([['pause', 'resume'], 1])
  tokens.hold('viewer', ceiling)
  tokens.release('viewer')
  clock.advance(60_000)
  expect(taken).toBe(1)
})

test('after the end nobody holds anything', () => {
  const { calls, tokens } = create()
  tokens.hold('a')
  tokens.end()
  tokens.hold('b')
  expect(calls).toEqual(['pause', 'resume'])
})
