import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Asked, answer, doneLine, type ScriptedServer, startScriptedServer } from '../../../../test/scripted-model-server.ts'
import { type SessionEvent, type SessionSettingsInput, sessionSettingsSchema } from '../../../core/session/session-event.ts'
import type { TurnTimeline } from '../../../core/session/timeline.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { createRunner, type Runner } from './runner.ts'

let folder: string
let runner: Runner
let server: ScriptedServer
/** Status 0: never answers. */
let show: { status: number; document: object }
let onChat: (asked: Asked, response: ServerResponse) => void

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workspace-'))
  await writeFile(join(folder, 'notes.txt'), 'The answer is 42.')
  show = { status: 200, document: { capabilities: ['completion', 'tools'] } }
  onChat = (asked, response) => {
    const messages = asked.body.messages as { role: string }[]
    if (messages.at(-1)?.role === 'tool') answer(response, 'It is 42.')
    else askForTools(response, [['read_file', { path: 'notes.txt' }]])
  }
  runner = createRunner({ clock: systemClock, log: silentLog, limit: 4, version: '1' })
  server = await startScriptedServer((asked, response) => {
    if (asked.path !== '/api/show') onChat(asked, response)
    else if (show.status > 0) response.writeHead(show.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(show.document))
  })
})

afterEach(async () => {
  await runner.close()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

function askForTools(response: ServerResponse, calls: readonly [string, object][]): void {
  response.writeHead(200).end(doneLine({ tool_calls: calls.map(([name, args]) => ({ function: { name, arguments: args } })) }))
}

async function runTurn(settings: Partial<SessionSettingsInput> = {}, onEvent: (event: SessionEvent, sessionId: string) => void = () => {}) {
  const created = runner.createSession(sessionSettingsSchema.parse({ serverUrl: server.url, model: 'm', workspace: folder, ...settings }))
  if (!created.ok) throw new Error(created.error.happened)
  const { sessionId } = created.value
  const events: SessionEvent[] = []
  const timeline = await new Promise<TurnTimeline>((resolve) => {
    runner.events(sessionId, 0, (event) => {
      events.push(event)
      onEvent(event, sessionId)
      if (event.type === 'turn-ended') resolve(event.timeline)
    })
    runner.postTurn(sessionId, 'What is the answer?')
  })
  return { events, timeline }
}

const chats = () => server.asked.filter((asked) => asked.path === '/api/chat')

test('the model reads a file and answers with it', async () => {
  const { events, timeline } = await runTurn()
  expect(events.map((event) => event.type)).toEqual([
    'turn-accepted',
    'turn-started',
    'call-sent',
    'delta',
    'tool-started',
    'tool-ended',
    'call-sent',
    'delta',
    'turn-done',
    'turn-ended',
  ])
  expect(chats()[0]?.body.tools).toHaveLength(3)
  expect(chats()[1]?.body.messages).toEqual([
    { role: 'user', content: 'What is the answer?' },
    { role: 'assistant', content: '', tool_calls: [{ function: { name: 'read_file', arguments: { path: 'notes.txt' } } }] },
    { role: 'tool', content: 'The answer is 42.', tool_name: 'read_file' },
  ])
  expect(timeline).toMatchObject({ outcome: 'completed', tools: [{ name: 'read_file', ok: true, summary: 'lines 1 to 1 of notes.txt' }] })
  expect(timeline.calls).toHaveLength(2)
  const [tool] = timeline.tools
  expect(tool?.startAtMs).toBeGreaterThanOrEqual(timeline.calls[0]?.endAtMs ?? Number.POSITIVE_INFINITY)
  expect(timeline.calls[1]?.sentAtMs).toBeGreaterThanOrEqual(tool?.endAtMs ?? Number.POSITIVE_INFINITY)
  expect(timeline.firstActivityAtMs).toBe(timeline.calls[0]?.firstDeltaAtMs)
})

test('the fault switch makes each tool slow, and the time stands with the tool', async () => {
  runner.setFault({ toolMs: 80 })
  const { timeline } = await runTurn()
  const [tool] = timeline.tools
  expect((tool?.endAtMs ?? 0) - (tool?.startAtMs ?? 0)).toBeGreaterThanOrEqual(79)
  expect(tool?.ok).toBe(true)
})

test('a lock around the tools makes them wait for each other', async () => {
  runner.setFault({ toolMs: 60, toolsAtOnce: 1 })
  const took = (await Promise.all([runTurn(), runTurn()])).map(({ timeline: { tools } }) => (tools[0]?.endAtMs ?? 0) - (tools[0]?.startAtMs ?? 0))
  expect(Math.min(...took)).toBeGreaterThanOrEqual(59)
  expect(Math.max(...took)).toBeGreaterThanOrEqual(100)
})

test('several tools of one message are told back as one message and its answers', async () => {
  onChat = (asked, response) => {
    const messages = asked.body.messages as { role: string }[]
    if (messages.at(-1)?.role === 'tool') answer(response, 'Done.')
    else
      askForTools(response, [
        ['list_files', {}],
        ['read_file', { path: 'none' }],
      ])
  }
  const { timeline } = await runTurn()
  expect(timeline.tools.map((tool) => tool.ok)).toEqual([true, false])
  expect((chats()[1]?.body.messages as { role: string }[] | undefined)?.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool'])
  expect(timeline.outcome).toBe('completed')
})

test('abilities are asked once per server and model', async () => {
  await runTurn()
  await runTurn()
  expect(server.asked.filter((asked) => asked.path === '/api/show')).toHaveLength(1)
})

test('a model without tools gets none, and the turn says so and goes on', async () => {
  show.document = { capabilities: ['completion'] }
  onChat = (_, response) => answer(response, 'I guess 41.')
  const { events, timeline } = await runTurn()
  expect(chats()[0]?.body.tools).toBeUndefined()
  const notice = events.find((event) => event.type === 'notice')
  expect(notice).toMatchObject({ text: expect.stringContaining('has no tools') })
  expect(timeline.outcome).toBe('completed')
})

test('an old server that lists no abilities is judged by its template', async () => {
  show.document = { template: '{{ if .Tools }}…{{ end }}' }
  await runTurn()
  expect(chats()[0]?.body.tools).toHaveLength(3)
})

test('a server that does not say is told to the person, and asked again the next time', async () => {
  show = { status: 404, document: { error: 'no such path' } }
  onChat = (_, response) => answer(response, 'Hello')
  const { events } = await runTurn()
  expect(events.find((event) => event.type === 'notice')).toMatchObject({ text: expect.stringContaining('does not say') })
  await runTurn()
  expect(server.asked.filter((asked) => asked.path === '/api/show')).toHaveLength(2)
})

test('a model that asks for tools for ever is stopped', async () => {
  onChat = (_, response) => askForTools(response, [['list_files', {}]])
  const { timeline } = await runTurn({ maxSteps: 3 })
  expect(timeline).toMatchObject({ outcome: 'failed', problem: { code: 'too-many-steps' } })
  expect(timeline.calls).toHaveLength(3)
})

test('a workspace that is gone fails the turn before any call', async () => {
  const { timeline } = await runTurn({ workspace: join(folder, 'gone') })
  expect(timeline).toMatchObject({ outcome: 'failed', problem: { code: 'workspace-missing' }, firstModelRequestAtMs: null, calls: [] })
})

test('a cancel while a tool runs ends the turn before the next call', async () => {
  const { timeline } = await runTurn({}, (event, sessionId) => {
    if (event.type === 'tool-started') runner.cancel(sessionId as Parameters<Runner['cancel']>[0])
  })
  expect(timeline).toMatchObject({ outcome: 'cut', doneAtMs: null })
  expect(timeline.tools).toHaveLength(1)
  expect(chats()).toHaveLength(1)
})

test('a cancel while the server is asked what the model can do ends the turn at once', async () => {
  const answered = server.asked.length
  show = { status: 0, document: {} }
  const { timeline } = await runTurn({}, (event, sessionId) => {
    if (event.type === 'turn-started') setTimeout(() => runner.cancel(sessionId as Parameters<Runner['cancel']>[0]), 30)
  })
  expect(timeline).toMatchObject({ outcome: 'cut', firstModelRequestAtMs: null, calls: [] })
  expect(timeline.backgroundEndAtMs - timeline.acceptedAtMs).toBeLessThan(5_000)
  expect(server.asked.length).toBe(answered + 1)
})

test('a model that thinks is kept from it in background work', async () => {
  show.document = { capabilities: ['completion', 'thinking'] }
  onChat = (_, response) => answer(response, 'Hello')
  await runTurn({ workspace: null, background: { title: true, memory: false } })
  expect(chats().map((asked) => asked.body.think)).toEqual([undefined, false])
})
