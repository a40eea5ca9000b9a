/** Refusals and failures by what the server says of them: provider, middleware, memory. */
import { expect, test } from 'vitest'
import { syntheticState, withFailures } from '../../../../test/synthetic-analysis.ts'
import { analyse } from '../analyse.ts'

const sweep = (levels = [1, 2, 4, 10]) => syntheticState({ slots: 1_000, levels })
const above = (n: number, status: number, sentence: string) => (row: { session: number }, level: number) =>
  level > n && row.session >= n ? { status, sentence } : null

test.each([
  ['rate limit 429', 429, 'This request would exceed your rate limit. It asks to wait 17 s.'],
  ['usage limit 429, until it resets', 429, "You've hit your session limit, resets 3:20am"],
  ['overload 529 / burst limiter', 529, 'Overloaded'],
  ['overload 529 / burst limiter', 200, 'Server is temporarily limiting requests (not your usage limit)'],
])('%s, told by status %i and words', (mechanism, status, sentence) => {
  const { verdict } = analyse(withFailures(sweep(), above(6, status, sentence)))
  expect(verdict).toMatchObject({ primary: 'provider_limit', mechanism, confidence: 'likely' })
  if (status === 529) expect(verdict.wouldMove).toContain('slower ramp')
})

test('429 from the eleventh request on, without a word of a rate, is a limit of the middleware', () => {
  const { verdict } = analyse(withFailures(sweep([1, 4, 8, 12]), above(10, 429, 'Too many requests')))
  expect(verdict).toMatchObject({ primary: 'provider_limit', mechanism: 'middleware limit 429: 10 requests at once' })
  expect(verdict.wouldNotMove).toContain('slots')
})

test('one refusal among a hundred is no finding', () => {
  const { verdict } = analyse(
    withFailures(sweep([1, 4, 40]), (row, n) => (n === 40 && row.session === 3 && row.wave === 0 ? { status: 429, sentence: 'rate limit' } : null)),
  )
  expect(verdict.primary).not.toBe('provider_limit')
})

const exceeded = 'Context size has been exceeded.'

test('contexts that fit alone and fail together are memory that the slots share', () => {
  const { verdict } = analyse(withFailures(sweep([1, 2, 4, 8]), above(4, 500, exceeded)))
  expect(verdict).toMatchObject({ primary: 'hardware', mechanism: 'KV memory pool shared by slots', confidence: 'likely' })
})

test('a prompt that is too long for one session alone is no ceiling', () => {
  const { verdict } = analyse(withFailures(sweep([1, 2, 4]), (row) => (row.wave === 0 ? { status: 500, sentence: exceeded } : null)))
  expect(verdict.primary).toBe('inconclusive')
})

test('out of memory is said as such', () => {
  const { verdict } = analyse(withFailures(sweep([1, 2, 4, 8]), above(4, 500, 'cudaMalloc failed: out of memory')))
  expect(verdict).toMatchObject({ primary: 'hardware', mechanism: 'out of memory' })
})

test('plain failures name neither provider nor memory', () => {
  const { verdict } = analyse(withFailures(sweep([1, 2, 4, 8]), above(4, 500, 'an error was encountered while running the model')))
  expect(['hardware', 'provider_limit']).not.toContain(verdict.primary)
})
