import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startModelServer } from './model-server.ts'
import type { ModelServerRequest } from './model-server-options.ts'
import { makeTinyGguf, TINY_SHAPES } from './tiny-gguf.ts'

describe('faulty starts', () => {
  test('a port in use is a sentence, not a crash', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const started = await startModelServer({ engine: 'null', port })
    expect(started).toMatchObject({ ok: false, error: { code: 'port-in-use', happened: expect.stringContaining(String(port)) } })
    await new Promise((resolve) => other.close(resolve))
  })

  test.each<[string, ModelServerRequest, string]>([
    ['an unknown setting', { engine: 'simulated', settings: { speed: 3 } }, 'model-server-settings'],
    ['a setting out of range', { engine: 'null', settings: { tokensPerSec: -1 } }, 'model-server-settings'],
    ['no slots for a simulated server', { engine: 'simulated', slots: 0 }, 'model-server-slots'],
    ['a host that is not here', { engine: 'null', host: '203.0.113.7' }, 'host-unknown'],
    ['a log in a folder that is not there', { engine: 'null', logFile: '/nowhere/at/all/log.jsonl' }, 'log-not-writable'],
  ])('%s is told', async (_what, request, code) => {
    expect(await startModelServer(request)).toMatchObject({ ok: false, error: { code } })
  })
})

test('a corrupt model file is a sentence, and simulated is offered where llama.cpp can’t load', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'plimsoll-gguf-'))
  await writeFile(join(dir, 'text.gguf'), 'not a model')
  await writeFile(join(dir, 'short.gguf'), makeTinyGguf(TINY_SHAPES['plimsoll-tiny']).subarray(0, 500_000))
  const start = (model: string) => startModelServer({ engine: 'llama', model })
  expect(await start(join(dir, 'none.gguf'))).toMatchObject({
    ok: false,
    error: { code: 'model-unreadable', happened: expect.stringContaining('does not exist') },
  })
  expect(await start(join(dir, 'text.gguf'))).toMatchObject({ ok: false, error: { code: 'model-unreadable' } })
  expect(await start(join(dir, 'short.gguf'))).toMatchObject({ ok: false, error: { todo: expect.stringContaining('simulated') } })
  await rm(dir, { recursive: true })
})
