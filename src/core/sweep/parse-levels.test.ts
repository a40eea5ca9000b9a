import { expect, test } from 'vitest'
import { problemText } from '../result/problem.ts'
import { parseLevels } from './parse-levels.ts'

test('levels are read ascending and each once, however they are separated', () => {
  expect(parseLevels('8, 1,2 4;2')).toEqual({ ok: true, value: [1, 2, 4, 8] })
})

test('every fault is named, with what was expected and what to do', () => {
  const result = parseLevels('0,-1,x,2.5,5000')
  if (result.ok) throw new Error('accepted')
  const text = problemText(result.error)
  for (const part of ['0 is below 1', '-1 is below 1', '"x" is not a number', '2.5 is not a whole number', '5000 is above 4096', '1,2,4,8'])
    expect(text).toContain(part)
})

test('no levels and too many levels are faults', () => {
  expect(parseLevels(' , ').ok).toBe(false)
  expect(parseLevels(Array.from({ length: 65 }, (_, i) => i + 1).join(',')).ok).toBe(false)
  expect(parseLevels('Infinity').ok).toBe(false)
})
