import { spawn } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bundleChild } from '../../../../test/bundle-child.ts'
import { systemClock } from '../../platform/clock.ts'
import { readProcess } from '../../platform/process-table.ts'
import { findOwnOllama } from './own-ollama.ts'
import { startPrivateOllama } from './private-ollama.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-tune-'))
  mkdirSync(join(dir, 'models/manifests/registry/m'), { recursive: true })
  mkdirSync(join(dir, 'models/blobs'))
  writeFileSync(join(dir, 'models/manifests/registry/m/latest'), '{}')
  writeFileSync(join(dir, 'models/blobs/sha256-1'), 'weights')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Plays `ollama serve`: listens where it is told, has a child that ignores polite signals, and prunes its models like the real one at its start. */
function playedProgram(script = ''): string {
  const program = join(dir, 'ollama')
  writeFileSync(
    program,
    `#!${process.execPath}
const fs = require('node:fs')
const { OLLAMA_HOST, OLLAMA_MODELS, HOME } = process.env
${script}
for (const name of fs.readdirSync(OLLAMA_MODELS + '/blobs')) fs.rmSync(OLLAMA_MODELS + '/blobs/' + name)
const child = require('node:child_process').spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: 'ignore' })
fs.writeFileSync(${JSON.stringify(dir)} + '/seen.json', JSON.stringify({ env: process.env, pids: [process.pid, child.pid] }))
require('node:http').createServer((_, res) => res.end('{"version":"0.0.0"}')).listen(OLLAMA_HOST.split(':')[1], '127.0.0.1')
`,
  )
  chmodSync(program, 0o755)
  return program
}

const own = (program: string) => ({ program, modelsDir: join(dir, 'models'), settings: { OLLAMA_FLASH_ATTENTION: '1' } })
const seen = () => JSON.parse(readFileSync(join(dir, 'seen.json'), 'utf8')) as { env: Record<string, string>; pids: number[] }
const isGone = (pid: number) => {
  const entry = readProcess(pid)
  return entry === undefined || entry.zombie
}

describe.runIf(process.platform !== 'win32')('a private Ollama', () => {
  test('has its own port, home and slots, sees the models, and can’t change them', async () => {
    const started = await startPrivateOllama({ clock: systemClock, dir: join(dir, 'tune') }, own(playedProgram()), 3)
    if (!started.ok) throw new Error(started.error.happened)
    const { env } = seen()
    expect(env).toMatchObject({ OLLAMA_NUM_PARALLEL: '3', OLLAMA_NOPRUNE: '1', OLLAMA_FLASH_ATTENTION: '1' })
    expect(started.value.url).toBe(`http://${env.OLLAMA_HOST}`)
    expect(env.OLLAMA_HOST).not.toContain('11434')
    expect(env.HOME?.startsWith(join(dir, 'tune'))).toBe(true)
    expect(existsSync(join(env.OLLAMA_MODELS ?? '', 'manifests/registry/m/latest'))).toBe(true)
    await started.value.stop()
    // It has pruned all that it saw.
    expect(readFileSync(join(dir, 'models/blobs/sha256-1'), 'utf8')).toBe('weights')
    expect(lstatSync(join(dir, 'models/blobs/sha256-1')).isFile()).toBe(true)
  })

  test('ends with all that it has started, stubborn children too, and leaves no folder', async () => {
    const started = await startPrivateOllama({ clock: systemClock, dir: join(dir, 'tune') }, own(playedProgram()), 1)
    if (!started.ok) throw new Error(started.error.happened)
    const { pids } = seen()
    expect(pids.map(isGone)).toEqual([false, false])
    await started.value.stop()
    expect(pids.map(isGone)).toEqual([true, true])
    expect(readdirSync(join(dir, 'tune'))).toEqual([])
  })

  test('ends when Plimsoll is killed the hard way', async () => {
    const program = playedProgram()
    const host = spawn(
      process.execPath,
      [await bundleChild('test/children/private-ollama-host.ts'), join(dir, 'tune'), JSON.stringify(own(program))],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    await new Promise((resolve) => host.stdout.once('data', resolve))
    const { pids } = seen()
    host.kill('SIGKILL')
    await vi.waitFor(() => expect(pids.map(isGone)).toEqual([true, true]), { timeout: 10_000 })
    // What it left behind goes when the next one starts.
    expect(readdirSync(join(dir, 'tune'))).toHaveLength(1)
    const next = await startPrivateOllama({ clock: systemClock, dir: join(dir, 'tune') }, own(program), 1)
    expect(readdirSync(join(dir, 'tune'))).toHaveLength(1)
    if (next.ok) await next.value.stop()
  })

  test('that ends before it answers says its last words', async () => {
    const program = playedProgram("console.error('Error: listen tcp: no such luck'); process.exit(3)")
    const started = await startPrivateOllama({ clock: systemClock, dir: join(dir, 'tune') }, own(program), 1)
    expect(started).toMatchObject({ ok: false, error: { code: 'private-ollama-failed', happened: expect.stringContaining('no such luck') } })
    expect(readdirSync(join(dir, 'tune'))).toEqual([])
  })

  test('without a model folder nothing is started', async () => {
    const started = await startPrivateOllama(
      { clock: systemClock, dir: join(dir, 'tune') },
      { ...own(playedProgram()), modelsDir: join(dir, 'nowhere') },
      1,
    )
    expect(started).toMatchObject({ ok: false, error: { code: 'models-unreadable', happened: expect.stringContaining('nowhere') } })
    expect(existsSync(join(dir, 'seen.json'))).toBe(false)
  })
})

describe.runIf(process.platform !== 'win32')('the person’s own Ollama', () => {
  const process_ = (env: Record<string, string>) => ({ pid: 1, args: ['ollama', 'serve'], env: new Map(Object.entries(env)) })

  test('gives program, models and the settings that change how it computes, not how it serves', async () => {
    const program = playedProgram()
    const found = await findOwnOllama(
      {
        program,
        process: process_({
          HOME: '/home/ada',
          OLLAMA_MODELS: '/data/models',
          OLLAMA_KV_CACHE_TYPE: 'q8_0',
          OLLAMA_NUM_PARALLEL: '8',
          CUDA_VISIBLE_DEVICES: '1',
          PATH: '/x',
        }),
      },
      { OLLAMA_MODELS: '/other' },
    )
    expect(found).toEqual({
      ok: true,
      value: { program, modelsDir: '/data/models', settings: { OLLAMA_KV_CACHE_TYPE: 'q8_0', CUDA_VISIBLE_DEVICES: '1' } },
    })
  })

  test('is found on the PATH when none runs', async () => {
    const program = playedProgram()
    const found = await findOwnOllama({ program: null, process: null }, { PATH: `/nowhere:${dir}`, HOME: dir, OLLAMA_MODELS: '/m' })
    expect(found).toMatchObject({ ok: true, value: { program, modelsDir: '/m' } })
    expect(await findOwnOllama({ program: null, process: null }, { PATH: '/nowhere' })).toMatchObject({
      ok: false,
      error: { code: 'ollama-missing' },
    })
    expect(await findOwnOllama({ program: join(dir, 'models'), process: null }, {})).toMatchObject({ ok: false, error: { code: 'ollama-missing' } })
  })
})
