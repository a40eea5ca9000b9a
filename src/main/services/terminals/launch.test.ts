import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { personShell, planLaunch, terminalEnvironment } from './launch.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-launch-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

function program(name: string, mode = 0o755) {
  writeFileSync(join(dir, name), '#!/bin/sh\n')
  chmodSync(join(dir, name), mode)
}

test("the environment is the person's, without our secrets and without the terminal that Plimsoll runs in", () => {
  const env = terminalEnvironment(
    {
      ...{ PLIMSOLL_TOKEN: 'x', PLIMSOLL_DATA: '/data', ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '--x', NODE_CHANNEL_FD: '3', npm_config_x: '1' },
      ...{
        TMUX: 'x',
        STY: 'x',
        COLUMNS: '9',
        HOME: '/home/a',
        ANTHROPIC_API_KEY: 'key',
        NODE_EXTRA_CA_CERTS: '/ca',
        TERM: 'dumb',
        LANG: 'de_DE.UTF-8',
      },
    },
    'linux',
  )
  expect(env).toEqual({
    ...{ PLIMSOLL_DATA: '/data', HOME: '/home/a', ANTHROPIC_API_KEY: 'key', NODE_EXTRA_CA_CERTS: '/ca', LANG: 'de_DE.UTF-8' },
    ...{ TERM: 'xterm-256color', COLORTERM: 'truecolor', TERM_PROGRAM: 'Plimsoll' },
  })
})

test('without a locale the terminal still speaks Unicode', () => {
  expect(terminalEnvironment({}, 'linux').LANG).toBe('C.UTF-8')
  expect(terminalEnvironment({ LC_ALL: 'C' }, 'linux').LANG).toBeUndefined()
})

test('there is always a shell', () => {
  expect(personShell({}, 'linux').file).toMatch(/^\//)
  expect(personShell({ COMSPEC: 'C:\\cmd.exe' }, 'win32')).toEqual({ file: 'C:\\cmd.exe', args: [] })
  expect(personShell({}, 'darwin').args).toEqual(['-l'])
})

test('a bare name is looked for on PATH, a path from the folder; what may not be run does not count', async () => {
  program('agent')
  program('plain', 0o644)
  mkdirSync(join(dir, 'folder'))
  const env = { PATH: `/nowhere:${dir}` }
  const found = await planLaunch({ cwd: dir, command: 'agent', args: ['--fast'] }, env, 'linux')
  expect(found).toMatchObject({ ok: true, value: { file: join(dir, 'agent'), args: ['--fast'], cwd: dir, command: 'agent --fast', title: 'agent' } })
  expect((await planLaunch({ cwd: dir, command: './agent', args: [] }, {}, 'linux')).ok).toBe(true)
  for (const command of ['plain', 'folder', 'missing', './plain']) {
    const refused = await planLaunch({ cwd: dir, command, args: [] }, env, 'linux')
    expect(refused).toMatchObject({ ok: false, error: { code: 'terminal-command-missing' } })
  }
})

test('a folder that is none is named; without one it is home', async () => {
  program('file')
  const refused = await planLaunch({ cwd: join(dir, 'file'), command: null, args: [] }, {}, 'linux')
  expect(refused).toMatchObject({ ok: false, error: { code: 'terminal-folder-missing', happened: expect.stringContaining(join(dir, 'file')) } })
  expect(await planLaunch({ cwd: null, command: null, args: [] })).toMatchObject({ ok: true, value: { cwd: homedir() } })
})
