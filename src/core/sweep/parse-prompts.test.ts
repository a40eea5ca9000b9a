import { expect, test } from 'vitest'
import { parsePrompts } from './parse-prompts.ts'

const promptsOf = (text: string) => {
  const read = parsePrompts(text, 'p.txt')
  return read.ok ? read.value : read.error.happened
}

test('prompts are read a line each, from a JSON array and from JSON lines', () => {
  const two = ['Name three rivers.', 'What is a queue?']
  expect(promptsOf('\uFEFFName three rivers.\r\n\r\nWhat is a queue?\n')).toEqual(two)
  expect(promptsOf(JSON.stringify([two[0], { prompt: two[1], tag: 1 }]))).toEqual(two)
  expect(promptsOf(two.map((prompt) => JSON.stringify({ prompt })).join('\n'))).toEqual(two)
  expect(promptsOf('{not json} is a prompt too')).toEqual(['{not json} is a prompt too'])
})

test('a file that holds none is refused with what is wrong with it', () => {
  expect(promptsOf(' \n\n')).toContain('there is no prompt in it')
  expect(promptsOf('[1, 2')).toContain('begins like a JSON array')
  expect(promptsOf('["a", 7]')).toContain('entry 2 holds no prompt')
  expect(promptsOf('{"prompt":"a"}\n{"text":"b"}')).toContain('line 2 holds no prompt')
  expect(promptsOf('PK\0\0')).toContain('it is no text')
  expect(promptsOf('x'.repeat(200_000))).toContain('200000 characters')
  expect(promptsOf('x\n'.repeat(10_001))).toContain('10001 prompts')
})
