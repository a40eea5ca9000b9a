import { expect, test } from 'vitest'
import { FOUND } from '../../testing/sweep-fixtures.ts'
import { foundSentence } from './found-words.ts'

test('what was found is one sentence, and it says whether a sweep can be run', () => {
  expect(foundSentence(FOUND)).toBe('Ollama 0.11.4 with one model and one agent CLI are here. That is enough for a sweep.')
  expect(foundSentence(FOUND.filter((one) => one.kind === 'model-server'))).toBe('Ollama 0.11.4 with one model is here. That is enough for a sweep.')
})

test('without a server what is built in is offered; with nothing at all, what to do', () => {
  expect(foundSentence(FOUND.filter((one) => one.kind === 'engine'))).toBe(
    'No model server and no agent CLI was found; what is built in is enough for a first sweep.',
  )
  expect(foundSentence([])).toBe('No model server and no agent CLI was found. Start a model server and look again.')
})
