import { expect, test } from 'vitest'
import { problem } from '../../core/result/problem.ts'
import { err, ok } from '../../core/result/result.ts'
import { createChatServers } from './chat-servers.ts'

function setUp() {
  const alive = new Set<string>()
  let count = 0
  let refuse = false
  const servers = createChatServers({
    async startBuiltIn() {
      if (refuse) return err(problem('x', 'No.', '', ''))
      count += 1
      const url = `http://127.0.0.1:${count}`
      alive.add(url)
      return ok({ url, stop: async () => void alive.delete(url) })
    },
    answers: async (url) => alive.has(url),
  })
  return { servers, alive, count: () => count, refuse: (value: boolean) => (refuse = value) }
}

test('turns of the same model share one server, another model gets its own', async () => {
  const { servers, count } = setUp()
  const urls = await Promise.all([servers.serverFor('llama', 'tiny'), servers.serverFor('llama', 'tiny'), servers.serverFor('llama', 'mid')])
  expect(new Set(urls.map((url) => url.ok && url.value)).size).toBe(2)
  expect(count()).toBe(2)
})

test('a server that has died is started again, once, however many turns find it gone', async () => {
  const { servers, alive, count } = setUp()
  await servers.serverFor('llama', 'tiny')
  alive.clear()
  const again = await Promise.all([servers.serverFor('llama', 'tiny'), servers.serverFor('llama', 'tiny')])
  expect(count()).toBe(2)
  expect(again[0]).toEqual(again[1])
})

test('one that could not start is tried again by the next turn', async () => {
  const { servers, refuse } = setUp()
  refuse(true)
  expect((await servers.serverFor('llama', 'tiny')).ok).toBe(false)
  refuse(false)
  expect((await servers.serverFor('llama', 'tiny')).ok).toBe(true)
})

test('closing stops them all', async () => {
  const { servers, alive } = setUp()
  await servers.serverFor('llama', 'tiny')
  await servers.close()
  expect(alive.size).toBe(0)
})
