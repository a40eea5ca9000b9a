import { expect, test } from 'vitest'
import { matchCommand, matchedPieces } from './match-command.ts'

const run = { title: 'Run concurrency sweep', detail: 'smollm2:135m, free', chord: 'mod+shift+l' }

test('nothing typed lists everything; nonsense lists nothing', () => {
  expect(matchCommand(run, '')).toBe(1)
  expect(matchCommand(run, 'xylophone')).toBe(0)
})

test('the beginning of a word counts more than its middle, and that more than words strewn about', () => {
  expect(matchCommand(run, 'swe')).toBeGreaterThan(matchCommand(run, 'weep'))
  expect(matchCommand(run, 'weep')).toBeGreaterThan(matchCommand(run, 'sweep run'))
  expect(matchCommand(run, 'smollm')).toBeGreaterThan(0)
})

test('the bare key of a chord finds its command first', () => {
  expect(matchCommand(run, 'l')).toBe(1)
  expect(matchCommand({ title: 'Reports', chord: 'alt+4' }, '4')).toBe(1)
  expect(matchCommand({ title: 'Metric: done', chord: '3' }, '3')).toBe(0)
})

test('what was typed is found again in the title, in its own case', () => {
  expect(matchedPieces('Run concurrency sweep', 'SWE')).toEqual(['Run concurrency ', 'swe', 'ep'])
  expect(matchedPieces('Run', 'x')).toBeUndefined()
})
