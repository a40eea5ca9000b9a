import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../../../test/read-answer.ts'
import { type CommandOutput, type ModelServerCommand, readSettingFlags, runModelServerCommand } from './command.ts'

function recorded() {
  const lines: string[] = []
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const output: CommandOutput = { out: (line) => lines.push(line), err: (line) => lines.push(`! ${line}`), untilStopped: () => stopped }
  return { output, lines, stop: () => stop() }
}

async function refused(args: ModelServerCommand): Promise<string[]> {
  const { output, lines } = recorded()
  expect(await runModelServerCommand(args, output)).toBe(1)
  return lines
}

test('prints its address, answers, and ends with 0 when stopped', async () => {
  const { output, lines, stop } = recorded()
  const code = runModelServerCommand({ engine: 'simulated', port: 0, slots: '3', sim: ['decodeMs=7', 'models=a,b'] }, output)
  await expect.poll(() => lines.length).toBe(2)
  expect(lines[0]).toContain('simulated, 3 slots')
  const url = /http:\S+/.exec(lines[0] ?? '')?.[0]
  const info = JSON.parse((await ask(`${url}/plimsoll/info`)).text)
  expect(info).toMatchObject({ slots: 3, settings: { decodeMs: 7, models: ['a', 'b'] } })
  stop()
  expect(await code).toBe(0)
})

test('a port in use ends with 1 and a sentence that names it', async () => {
  const { output, lines, stop } = recorded()
  const code = runModelServerCommand({ engine: 'null', port: 0 }, output)
  await expect.poll(() => lines.length).toBe(2)
  const port = Number(/:(\d+)/.exec(lines[0] ?? '')?.[1])
  expect(await refused({ engine: 'null', port })).toEqual([expect.stringContaining(`Port ${port} on 127.0.0.1 is taken`)])
  stop()
  await code
})

test('settings come from a file, flags win over it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'plimsoll-settings-'))
  const file = join(dir, 'settings.json')
  await writeFile(file, JSON.stringify({ decodeMs: 30, loadMs: 5 }))
  const { output, lines, stop } = recorded()
  const code = runModelServerCommand({ engine: 'simulated', port: 0, settings: file, sim: ['loadMs=9'] }, output)
  await expect.poll(() => lines.length).toBe(2)
  const info = JSON.parse((await ask(`${/http:\S+/.exec(lines[0] ?? '')?.[0]}/plimsoll/info`)).text)
  expect(info.settings).toMatchObject({ decodeMs: 30, loadMs: 9 })
  stop()
  await code
  await writeFile(file, '[1')
  expect(await refused({ engine: 'simulated', settings: file })).toEqual([expect.stringContaining('is not valid JSON')])
  await rm(dir, { recursive: true })
})

test.each<[string, ModelServerCommand, string]>([
  ['an unknown setting', { engine: 'simulated', sim: ['speed=3'] }, 'Known settings are'],
  ['a flag without value', { engine: 'simulated', sim: ['decodeMs'] }, 'Expected key=value'],
  ['a port that is none', { engine: 'simulated', port: 'x' }, '--port'],
  ['an engine that is none', { engine: 'vllm' as 'null' }, '--engine'],
  ['a settings file that is not there', { engine: 'simulated', settings: '/nowhere.json' }, "can't be read"],
])('%s ends with 1 and says what is known', async (_what, args, words) => {
  expect(await refused(args)).toEqual([expect.stringContaining(words)])
})

test('values of flags are read as JSON where they can be, lists without brackets, texts as they are', () => {
  expect(readSettingFlags(['a=1', 'b=true', 'c=1,2,3', 'd=x=y', 'e={"f":1}', 'g=shared'])).toEqual({
    ok: true,
    value: { a: 1, b: true, c: [1, 2, 3], d: 'x=y', e: { f: 1 }, g: 'shared' },
  })
})
