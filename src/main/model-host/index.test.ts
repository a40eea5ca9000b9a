import { type ChildProcess, fork } from 'node:child_process'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { bundleChild } from '../../../test/bundle-child.ts'
import { ask } from '../../../test/read-answer.ts'
import { type FromModelHost, fromModelHostSchema, type ToModelHost } from './messages.ts'

let program = ''
let child: ChildProcess | undefined
beforeAll(async () => {
  program = await bundleChild('src/main/model-host/index.ts')
})
afterEach(() => {
  child?.kill('SIGKILL')
})

function start(): ChildProcess {
  child = fork(program, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  return child
}

function reply(host: ChildProcess, message: unknown): Promise<FromModelHost> {
  const answer = new Promise<FromModelHost>((resolve) => host.once('message', (m) => resolve(fromModelHostSchema.parse(m))))
  host.send(message as ToModelHost)
  return answer
}

const exit = (host: ChildProcess) => new Promise<number | null>((resolve) => host.once('exit', (code) => resolve(code)))

test('starts the server it is asked for, says where, and ends when told to', async () => {
  const host = start()
  const started = await reply(host, { type: 'start', options: { engine: 'simulated', slots: 2 } })
  expect(started).toMatchObject({ type: 'started', info: { engine: 'simulated', simulated: true, slots: 2 } })
  const url = started.type === 'started' ? started.url : ''
  expect((await ask(`${url}/api/version`)).status).toBe(200)
  const ended = exit(host)
  host.send({ type: 'stop' })
  expect(await ended).toBe(0)
  await expect(ask(`${url}/api/version`)).rejects.toThrow()
})

test('a start that fails is a problem, and another may be tried', async () => {
  const host = start()
  expect(await reply(host, { type: 'start', options: { engine: 'llama', model: '/nowhere.gguf' } })).toMatchObject({
    type: 'failed',
    problem: { code: 'model-unreadable' },
  })
  expect(await reply(host, { type: 'start', options: { engine: 'null', speed: 3 } })).toMatchObject({ type: 'failed' })
  expect(await reply(host, { type: 'start', options: { engine: 'null' } })).toMatchObject({ type: 'started' })
  expect(await reply(host, { type: 'start', options: { engine: 'null' } })).toMatchObject({
    type: 'failed',
    problem: { code: 'model-server-running' },
  })
})

test('does not outlive its parent, not even with an answer under way', async () => {
  const host = start()
  const started = await reply(host, { type: 'start', options: { engine: 'null', settings: { answerTokens: 100_000 } } })
  const url = started.type === 'started' ? started.url : ''
  const body = { model: 'plimsoll-null', messages: [{ role: 'user', content: 'x' }] }
  const ended = exit(host)
  // A dead parent's end of the channel closes; so does this.
  const answer = ask(`${url}/api/chat`, body, { onPiece: () => host.connected && host.disconnect() })
  expect(await ended).toBe(0)
  expect((await answer).complete).toBe(false)
})
