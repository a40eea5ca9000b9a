import { expect, test } from 'vitest'
import { typedTarget } from './typed-target.ts'

test('an address and a model are a target, with or without the scheme', () => {
  expect(typedTarget('10.0.0.5:11434 llama3.2:1b')?.target).toEqual({ kind: 'server', url: 'http://10.0.0.5:11434', model: 'llama3.2:1b' })
  expect(typedTarget('https://gpu.example smollm2:135m')?.target.url).toBe('https://gpu.example')
  expect(typedTarget(' HTTP://127.0.0.1:11434/  tiny ')?.target).toEqual({ kind: 'server', url: 'http://127.0.0.1:11434', model: 'tiny' })
  expect(typedTarget('http://[::1]:11434 tiny')?.target.url).toBe('http://[::1]:11434')
})

test('anything else is a search', () => {
  for (const text of ['', 'smollm2:135m', 'tiny model', '10.0.0.5:11434', 'http://x:99999 tiny', 'ftp://x:21 tiny'])
    expect(typedTarget(text), text).toBeUndefined()
})
