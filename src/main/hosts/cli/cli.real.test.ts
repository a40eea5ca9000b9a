/** The built command as a process of its own: what it prints, how it ends, what it leaves. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createPort } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportJsonSchema } from '../../../core/report/report-json.ts'

const bin = join(import.meta.dirname, '../../../../bin/plimsoll.mjs')
/** A small sweep: what it finds is the analysis's business, here it matters how it is told. */
const SMALL = [
  'sweep',
  '--engine',
  'simulated',
  '--slots',
  '1',
  '--sim',
  'decodeMs=4',
  '--levels',
  '1,2',
  '--repeats',
  '1',
  '--waves',
  '3',
  '--legs',
  'runner',
]

let dataDir: string
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-cli-real-'))
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

type Ended = { exitCode: number | null; out: string; err: string }

function plimsoll(args: readonly string[], onErr?: (text: string, interrupt: () => void) => void): Promise<Ended> {
  // A group of its own, as a shell gives it: a signal to the whole group would show here and not end the tests.
  const child = spawn(process.execPath, [bin, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, OLLAMA_HOST: '127.0.0.1:9' },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
    onErr?.(err, () => child.kill('SIGINT'))
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, out, err }))
  })
}

test('a sweep prints one JSON object, writes its report, and is in the list; its report can be written again elsewhere', async () => {
  const { exitCode, out, err } = await plimsoll([...SMALL, '--json', '--data', dataDir])
  expect(err).not.toContain('    at ')
  expect(exitCode).toBe(0)
  const json = reportJsonSchema.parse(JSON.parse(out))
  expect(json).toMatchObject({ status: 'completed', simulated: true })
  expect(json.levels.map(({ n }) => n)).toEqual([1, 2])
  expect(readFileSync(json.reportPath ?? '', 'utf8')).toMatch(/^<!doctype html>/)

  const listed = await plimsoll(['list', '--json', '--data', dataDir])
  expect(listed.exitCode).toBe(0)
  expect(JSON.parse(listed.out)).toMatchObject([{ number: 1, status: 'completed' }])

  const elsewhere = join(dataDir, 'elsewhere', 'report.html')
  const again = await plimsoll(['report', 'last', '--out', elsewhere, '--json', '--data', dataDir])
  expect(again.exitCode).toBe(0)
  expect(JSON.parse(again.out)).toEqual({ ...json, reportPath: elsewhere })
})

test('Ctrl-C in mid-sweep keeps and reports what there is, and ends with 130', async () => {
  let stopped = false
  const args = [...SMALL.slice(0, -6), '--repeats', '40', '--waves', '4', '--legs', 'runner', '--json', '--data', dataDir]
  const { exitCode, out, err } = await plimsoll(args, (text, interrupt) => {
    if (stopped || !text.includes('[3/')) return
    stopped = true
    interrupt()
  })
  expect(err).toContain('Stopping')
  expect(exitCode).toBe(130)
  const json = reportJsonSchema.parse(JSON.parse(out))
  expect(json.status).toBe('cancelled')
  expect(json.levels.length).toBeGreaterThan(0)
  expect(readFileSync(json.reportPath ?? '', 'utf8')).toContain('This sweep was cancelled')
})

describe('bad input gets a sentence and an exit code, never a stack trace', () => {
  const said = async (args: readonly string[]) => {
    const ended = await plimsoll(args)
    expect(ended.out).toBe('')
    expect(ended.err).not.toMatch(/\n\s+at /)
    return [ended.exitCode, ended.err] as const
  }

  test('levels, options and commands that there are not', async () => {
    const [levels, unknown, command] = await Promise.all([said(['sweep', '--levels', '0,-1,x']), said(['sweep', '--levles', '1']), said(['swep'])])
    expect(levels).toEqual([2, expect.stringContaining('0 is below 1; -1 is below 1; "x" is not a number')])
    expect(unknown).toEqual([2, expect.stringContaining('Did you mean --levels?')])
    expect(command).toEqual([2, expect.stringContaining('Did you mean sweep?')])
  })

  test('a dead server, one that answers HTML, a GGUF that is none', async () => {
    const web = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const { port } = web.address() as AddressInfo
    writeFileSync(join(dataDir, 'broken.gguf'), 'GGUX')
    const dead = await said(['sweep', '--server', '127.0.0.1:9', '--model', 'm', '--data', dataDir])
    const page = await said(['sweep', '--server', `http://127.0.0.1:${port}`, '--model', 'm', '--data', dataDir])
    const gguf = await said(['sweep', '--engine', 'llama', '--model', join(dataDir, 'broken.gguf'), '--data', dataDir])
    web.close()
    expect(dead).toEqual([1, expect.stringContaining('http://127.0.0.1:9')])
    expect(page).toEqual([1, expect.stringContaining(`http://127.0.0.1:${port}`)])
    expect(page[1]).toContain('web page')
    expect(gguf[0]).toBe(1)
    expect(gguf[1]).toContain('broken.gguf')
  })

  test('a data folder that can’t be, and a database that is none', async () => {
    const corrupt = join(dataDir, 'corrupt')
    mkdirSync(corrupt)
    writeFileSync(join(corrupt, 'plimsoll.db'), 'this is no database, and it is long enough to be taken for the header of one. '.repeat(20))
    writeFileSync(join(dataDir, 'file'), '')
    const blocked = await said(['list', '--data', join(dataDir, 'file')])
    const broken = await said(['list', '--data', corrupt])
    expect(blocked).toEqual([1, expect.stringContaining(join(dataDir, 'file'))])
    expect(broken).toEqual([1, expect.stringContaining('plimsoll.db')])
    expect(readFileSync(join(corrupt, 'plimsoll.db'), 'utf8')).toContain('this is no database')
  })

  test('a port in use, a sweep that there is not', async () => {
    const taken = createPort()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const serve = await said(['serve', '--port', String(port), '--data', join(dataDir, 'serve')])
    taken.close()
    expect(serve).toEqual([1, expect.stringContaining(String(port))])
    expect(await said(['report', '99', '--data', dataDir])).toEqual([1, expect.stringContaining('There is no sweep "99"')])
  })
})

test('--help names every command and the exit codes', async () => {
  const { exitCode, out } = await plimsoll(['--help'])
  expect(exitCode).toBe(0)
  for (const word of ['sweep', 'report', 'list', 'serve', 'model-server', 'Exit codes']) expect(out).toContain(word)
})
