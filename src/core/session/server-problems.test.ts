import { expect, test } from 'vitest'
import { SERVER_BUSY_TEXT } from '../ollama/documents.ts'
import { problemText } from '../result/problem.ts'
import { type ServerFailure, serverProblem } from './server-problems.ts'

const AT = 'http://127.0.0.1:11434'

const FAILURES: ServerFailure[] = [
  { kind: 'refused' },
  { kind: 'reset', begun: false },
  { kind: 'reset', begun: true },
  { kind: 'lookup', host: 'box' },
  { kind: 'network', code: 'EHOSTUNREACH' },
  { kind: 'network', code: 'HPE_INVALID_CONSTANT' },
  { kind: 'status', status: 302, sentence: '' },
  { kind: 'web-page', status: 200 },
  { kind: 'status', status: 404, sentence: '' },
  { kind: 'status', status: 404, sentence: 'model "m" not found, try pulling it first' },
  { kind: 'status', status: 503, sentence: SERVER_BUSY_TEXT },
  { kind: 'status', status: 429, sentence: '' },
  { kind: 'status', status: 401, sentence: 'no' },
  { kind: 'status', status: 500, sentence: 'out of memory' },
  { kind: 'error-line', sentence: 'broke' },
  { kind: 'malformed', text: 'data: x' },
  { kind: 'no-end-marker' },
  { kind: 'silent', afterMs: 5_000 },
]

test.each(FAILURES)('each failure says what happened and what to do: %j', (failure) => {
  const said = serverProblem(AT, 'm', failure)
  expect(said.happened).toMatch(/^\S.*[.!?]$/)
  expect(said.todo).toMatch(/^\S.*[.!?]$/)
  expect(problemText(said)).not.toMatch(/undefined|\.\.|:\s*\.| {2}(?!maximum)/)
})

test("the server's own sentence is kept word for word", () => {
  expect(serverProblem(AT, 'm', { kind: 'status', status: 503, sentence: SERVER_BUSY_TEXT }).happened).toContain(SERVER_BUSY_TEXT)
})

test('https to a port that speaks http is said to be that, and what to give instead', () => {
  const said = serverProblem('https://127.0.0.1:11434', 'm', { kind: 'network', code: 'EPROTO' })
  expect(said.happened).toContain('does not speak https')
  expect(said.todo).toContain('http://')
})

test('what is no HTTP is said to be none, a redirect to be one', () => {
  expect(serverProblem(AT, 'm', { kind: 'network', code: 'HPE_INVALID_CONSTANT' }).happened).toContain('not HTTP')
  expect(serverProblem(AT, 'm', { kind: 'status', status: 302, sentence: '' }).todo).toContain('redirects are not followed')
})

test('a name that no model can have is about the name, not about the server', () => {
  const said = serverProblem(AT, '<b>', { kind: 'status', status: 500, sentence: 'invalid model path' })
  expect(said).toMatchObject({ code: 'model-missing', happened: expect.stringContaining('"<b>"') })
})
