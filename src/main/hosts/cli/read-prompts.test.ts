import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionIdSchema, turnIdSchema } from '../../../core/result/ids.ts'
import type { SessionEvent } from '../../../core/session/session-event.ts'
import { sessionSettingsSchema } from '../../../core/session/session-event.ts'
import type { StoredChat } from '../../../core/session/stored-chat.ts'
import { readPromptFile, recordedPrompts } from './read-prompts.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-prompts-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a file of prompts becomes the workload; one that is missing, too large or a folder is refused with a sentence', async () => {
  const path = join(folder, 'own.txt')
  await writeFile(path, 'one\ntwo\n')
  expect(await readPromptFile(path)).toEqual({ ok: true, value: { kind: 'file', prompts: ['one', 'two'], source: path } })
  const codeOf = async (name: string) => {
    const read = await readPromptFile(name)
    return read.ok ? null : `${read.error.code}: ${read.error.happened}`
  }
  expect(await codeOf('long-contxt')).toContain('There is no workload and no file named "long-contxt"')
  expect(await codeOf(folder)).toContain('prompts-unreadable')
  await writeFile(join(folder, 'large.txt'), 'x'.repeat(4_100_000))
  expect(await codeOf(join(folder, 'large.txt'))).toContain('prompts-too-large')
})

const chat = (id: string, lastActivityEpochMs: number): StoredChat => ({
  ...{ sessionId: sessionIdSchema.parse(id), title: `about ${id}`, createdEpochMs: 1, lastActivityEpochMs },
  settings: sessionSettingsSchema.parse({ serverUrl: 'http://h', model: 'm' }),
})

test('the turns of a recorded chat are replayed in their order: by id, by its beginning, or the last one', () => {
  const said = (text: string, seq: number): SessionEvent => ({ seq, atMs: seq, turnId: turnIdSchema.parse(`t${seq}`), type: 'turn-accepted', text })
  const chats = {
    list: () => [chat('abc', 9), chat('abd', 5), chat('xyz', 3)],
    events: (id: string) => (id === 'xyz' ? [] : [said(`first of ${id}`, 1), said('second', 2)]),
  }
  expect(recordedPrompts(chats, 'last')).toEqual({ ok: true, value: { kind: 'replay', prompts: ['first of abc', 'second'], source: 'abc' } })
  expect(recordedPrompts(chats, 'abd')).toMatchObject({ ok: true, value: { source: 'abd' } })
  expect(recordedPrompts(chats, 'ab')).toMatchObject({ ok: false, error: { code: 'chat-unknown' } })
  expect(recordedPrompts(chats, 'x')).toMatchObject({ ok: false, error: { happened: 'The chat xyz has no turns.' } })
})
