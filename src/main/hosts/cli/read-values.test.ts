import { expect, test } from 'vitest'
import type { Problem } from '../../../core/result/problem.ts'
import type { Result } from '../../../core/result/result.ts'
import { readAssignments, readInteger, readMs, readRatio, readServerUrl } from './read-values.ts'

const taken = <T>(result: Result<T, Problem>) => (result.ok ? result.value : result.error.code)

test('whole numbers within their bounds are taken, all else is refused with the option named', () => {
  expect(taken(readInteger('--repeats', '3', 1, 100, '3'))).toBe(3)
  for (const text of ['0', '101', '-1', '1.5', 'x', '', '1e3']) {
    const result = readInteger('--repeats', text, 1, 100, '3')
    expect(result.ok ? result.value : result.error.happened).toContain('--repeats')
  }
})

test('times are milliseconds, with s or ms behind them if wanted', () => {
  expect(['2000', '2s', '1.5s', '250ms'].map((text) => taken(readMs('--slo-ttfa', text, '2s')))).toEqual([2000, 2000, 1500, 250])
  for (const text of ['0', '-1s', 's', '2m']) expect(readMs('--slo-ttfa', text, '2s').ok).toBe(false)
})

test('shares are ratios or percent', () => {
  expect(['0.95', '95%', '1', '0'].map((text) => taken(readRatio('--slo-target', text, '95%')))).toEqual([0.95, 0.95, 1, 0])
  for (const text of ['95', '101%', '-0.1', 'x']) expect(readRatio('--slo-target', text, '95%').ok).toBe(false)
})

test('settings keep their kind: numbers, booleans, lists, text', () => {
  const texts = ['decodeMs=20', 'tools=false', 'decodeTableMs=10,12', 'name=plain text', 'empty=']
  expect(taken(readAssignments('--sim', texts, 'a=1'))).toEqual({
    decodeMs: 20,
    tools: false,
    decodeTableMs: [10, 12],
    name: 'plain text',
    empty: [],
  })
  expect(readAssignments('--sim', ['decodeMs'], 'a=1').ok).toBe(false)
})

test('an address may leave the scheme out, and loses its last slash', () => {
  expect(['http://127.0.0.1:11434/', 'box:11434', 'https://host/ollama/'].map((text) => taken(readServerUrl(text)))).toEqual([
    'http://127.0.0.1:11434',
    'http://box:11434',
    'https://host/ollama',
  ])
  for (const text of ['ftp://host', 'http://', 'http://[', 'two words']) expect(readServerUrl(text).ok, text).toBe(false)
})
