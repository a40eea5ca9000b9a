import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorkspaceTools, type ToolAnswer } from './workspace-tools.ts'

let top: string
let folder: string

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'workspace-'))
  folder = join(top, 'inside')
  await mkdir(join(folder, 'src'), { recursive: true })
  await mkdir(join(folder, 'node_modules'))
  await mkdir(join(top, 'inside-not'))
  await writeFile(join(top, 'secret.txt'), 'the needle of others')
  await writeFile(join(top, 'inside-not', 'secret.txt'), 'the needle of others')
  await writeFile(join(folder, 'readme.md'), 'One\nTwo\nThree with a Needle\n')
  await writeFile(join(folder, 'src', 'code.ts'), "const needle = 'x'\n")
  await writeFile(join(folder, 'node_modules', 'other.js'), 'needle')
  await writeFile(join(folder, 'image.png'), Buffer.from([137, 80, 78, 71, 0, 1, 2, 0]))
})

afterEach(() => rm(top, { recursive: true, force: true }))

async function run(name: string, input: Record<string, unknown>, signal = new AbortController().signal): Promise<ToolAnswer> {
  const tools = await openWorkspaceTools(folder)
  if (!tools.ok) throw new Error(tools.error.happened)
  return tools.value.run(name, input, signal)
}

describe('tools of a workspace', () => {
  test('list a folder with sizes', async () => {
    expect(await run('list_files', {})).toMatchObject({ ok: true, output: 'image.png (8 bytes)\nnode_modules/\nreadme.md (28 bytes)\nsrc/' })
    expect(await run('list_files', { path: 'src' })).toMatchObject({ ok: true, output: 'code.ts (19 bytes)', summary: '1 entry in src' })
  })

  test('read a file, also from a line on', async () => {
    expect(await run('read_file', { path: 'readme.md' })).toMatchObject({
      ok: true,
      output: 'One\nTwo\nThree with a Needle',
      summary: 'lines 1 to 3 of readme.md',
    })
    expect(await run('read_file', { path: './src/../readme.md', from_line: 3 })).toMatchObject({ ok: true, output: 'Three with a Needle' })
    expect(await run('read_file', { path: join(folder, 'readme.md') })).toMatchObject({ ok: true })
    expect((await run('read_file', { path: 'readme.md', from_line: 99 })).output).toContain('ends before line 99')
  })

  test('give a long file in parts that join to the whole', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1} ${'x'.repeat(20)}`)
    await writeFile(join(folder, 'long.txt'), lines.join('\n'))
    const read: string[] = []
    for (let from = 1; from <= lines.length; ) {
      const { output } = await run('read_file', { path: 'long.txt', from_line: from })
      expect(output.length).toBeLessThan(17_000)
      const part = output.split('\n').filter((line) => !line.startsWith('…'))
      read.push(...part)
      from += part.length
    }
    expect(read).toEqual(lines)
  })

  test('find a text without regard to case, not in what others made, with path and line', async () => {
    const found = await run('search_files', { text: 'NEEDLE' })
    expect(found).toMatchObject({ ok: true, summary: '2 hits in the workspace' })
    expect(found.output).toBe("readme.md:3: Three with a Needle\nsrc/code.ts:1: const needle = 'x'")
    expect((await run('search_files', { text: 'needle', path: 'src' })).output).toBe("src/code.ts:1: const needle = 'x'")
    expect((await run('search_files', { text: 'a.*b' })).output).toContain('Nothing contains')
  })

  test('stop a search when the turn is stopped', async () => {
    const abort = new AbortController()
    abort.abort()
    expect((await run('search_files', { text: 'needle' }, abort.signal)).summary).toContain('or more')
  })

  test('say what is wrong in a sentence, and never throw', async () => {
    expect(await run('read_file', { path: 'image.png' })).toMatchObject({ ok: false, summary: 'image.png is no text file (8 bytes).' })
    expect(await run('read_file', { path: 'src' })).toMatchObject({ ok: false, summary: 'src is a folder; list_files lists it.' })
    expect(await run('list_files', { path: 'readme.md' })).toMatchObject({ ok: false })
    expect(await run('read_file', { path: 'none.txt' })).toMatchObject({ ok: false, summary: 'There is no none.txt in the workspace.' })
    expect(await run('search_files', { text: ' ' })).toMatchObject({ ok: false })
    expect(await run('read_file', { path: 'a\0b' })).toMatchObject({ ok: false })
    expect(await run('read_file', { path: 7 })).toMatchObject({ ok: false })
    expect(await run('run_command', { command: 'ls' })).toMatchObject({ ok: false })
    expect(await openWorkspaceTools(join(top, 'nowhere'))).toMatchObject({ ok: false, error: { code: 'workspace-missing' } })
    expect(await openWorkspaceTools(join(folder, 'readme.md'))).toMatchObject({ ok: false, error: { code: 'workspace-missing' } })
  })
})

describe.skipIf(process.platform === 'win32')('no way leads out of the workspace', () => {
  test.each(['../secret.txt', '/etc/passwd', 'src/../../secret.txt', '../inside-not/secret.txt', '..', '../inside/../secret.txt'])(
    '%s',
    async (path) => {
      for (const name of ['read_file', 'list_files', 'search_files']) {
        const answer = await run(name, { path, text: 'needle' })
        expect(answer).toMatchObject({ ok: false })
        expect(answer.output).toContain('outside the workspace')
        expect(answer.output).not.toContain('of others')
      }
    },
  )

  test('by a link to a file, to a folder, by a chain of links, or a link that names the workspace from outside', async () => {
    await symlink(join(top, 'secret.txt'), join(folder, 'link.txt'))
    await symlink(top, join(folder, 'up'))
    await symlink('up', join(folder, 'chain'))
    for (const path of ['link.txt', 'up/secret.txt', 'chain/secret.txt', 'up/inside-not/secret.txt']) {
      expect(await run('read_file', { path })).toMatchObject({ ok: false, summary: `${path} is a link that leads outside the workspace.` })
    }
    expect(await run('list_files', { path: 'up' })).toMatchObject({ ok: false })
    expect((await run('search_files', { text: 'of others' })).output).toContain('Nothing contains')
    expect((await run('list_files', {})).output).toContain('link.txt (link or special file)')
  })

  test('a link that stays inside may be read, and a workspace may itself be a link', async () => {
    await symlink('readme.md', join(folder, 'alias.md'))
    await symlink(folder, join(top, 'other-name'))
    expect(await run('read_file', { path: 'alias.md' })).toMatchObject({ ok: true })
    folder = join(top, 'other-name')
    expect(await run('read_file', { path: 'alias.md' })).toMatchObject({ ok: true })
  })

  test('a pipe does not hold the tool for ever', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    expect(await run('read_file', { path: 'pipe' })).toMatchObject({ ok: false, summary: 'pipe is not a regular file.' })
    expect((await run('search_files', { text: 'needle' })).ok).toBe(true)
  })
})
