import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isActivity, readOllamaLine, residualMs } from './chunks.ts'

const chat = (message: object, rest: object = {}) => JSON.stringify({ model: 'm', created_at: 'T', message, done: false, ...rest })

describe('lines of an Ollama stream', () => {
  test('text, thinking and tool calls are told apart', () => {
    expect(readOllamaLine(chat({ role: 'assistant', content: 'Hi' }))).toMatchObject({ kind: 'delta', delta: { content: 'Hi', thinking: '' } })
    expect(readOllamaLine(chat({ role: 'assistant', content: '', thinking: 'Let' }))).toMatchObject({
      kind: 'delta',
      delta: { content: '', thinking: 'Let' },
    })
    const call = { id: 'call_1', function: { index: 0, name: 'ls', arguments: {} } }
    expect(readOllamaLine(chat({ role: 'assistant', content: '', tool_calls: [call] }))).toMatchObject({
      kind: 'delta',
      delta: { toolCalls: [call] },
    })
  })

  test('a tool call inside the done line is not lost', () => {
    const line = chat(
      { role: 'assistant', content: '', tool_calls: [{ function: { name: 'ls', arguments: {} } }] },
      { done: true, done_reason: 'stop' },
    )
    const read = readOllamaLine(line)
    expect(read.kind).toBe('final')
    expect(read.kind === 'final' && isActivity(read.delta)).toBe(true)
  })

  test('the third in line on one slot waited two service times', () => {
    const read = readOllamaLine(
      chat(
        { role: 'assistant', content: '' },
        {
          done: true,
          done_reason: 'stop',
          total_duration: 12_900_000_000,
          load_duration: 60_000_000,
          prompt_eval_count: 512,
          prompt_eval_duration: 90_000_000,
          eval_count: 100,
          eval_duration: 4_150_000_000,
        },
      ),
    )
    if (read.kind !== 'final') throw new Error(read.kind)
    expect(residualMs(read.timings)).toBeCloseTo(8_600)
    expect(read.timings).toMatchObject({ doneReason: 'stop', promptTokens: 512, answerTokens: 100, loadMs: 60 })
  })

  test('durations that are left out are absent, not zero', () => {
    const read = readOllamaLine('{"model":"m","response":"","done":true}')
    if (read.kind !== 'final') throw new Error(read.kind)
    expect(read.timings.totalMs).toBeUndefined()
    expect(residualMs(read.timings)).toBeUndefined()
  })

  test('an error line is an error, whatever stands beside it', () => {
    expect(readOllamaLine('{"error":"an error was encountered while running the model"}')).toEqual({
      kind: 'error',
      message: 'an error was encountered while running the model',
    })
  })

  test('what is not an Ollama line is malformed and never throws', () => {
    expect(readOllamaLine('<html>')).toEqual({ kind: 'malformed', text: '<html>' })
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => ['delta', 'final', 'error', 'malformed'].includes(readOllamaLine(line).kind)))
  })

  test('an empty delta is no activity', () => {
    const read = readOllamaLine(chat({ role: 'assistant', content: '' }))
    expect(read.kind === 'delta' && isActivity(read.delta)).toBe(false)
  })
})
