/** What every transport must carry: one suite, run over memory, MessagePort and WebSocket, and over the Electron host's port. */
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '../src/contract/wire/connect.ts'
import { call, stream } from '../src/contract/wire/define.ts'
import type { Api, Client, Sink } from '../src/contract/wire/endpoint-types.ts'
import { WINDOW } from '../src/contract/wire/frames.ts'
import { serve } from '../src/contract/wire/serve.ts'
import type { Transport } from '../src/contract/wire/transport.ts'
import { type Problem, problem } from '../src/core/result/problem.ts'
import { err, ok } from '../src/core/result/result.ts'

export const wireContract = {
  sums: {
    add: call({ input: z.object({ a: z.number(), b: z.number().default(1) }), output: z.object({ sum: z.number() }) }),
    divide: call({ input: z.object({ by: z.number() }), output: z.object({ result: z.number() }) }),
    explode: call({ input: z.object({}), output: z.object({}) }),
    lie: call({ input: z.object({}), output: z.object({ n: z.number() }) }),
    never: call({ input: z.object({}), output: z.object({}) }),
    echo: call({ input: z.object({ text: z.string() }), output: z.object({ text: z.string() }) }),
  },
  feeds: {
    every: stream({ input: z.object({ name: z.string() }), output: z.number(), delivery: 'every' }),
    latest: stream({ input: z.object({ name: z.string() }), output: z.number(), delivery: 'latest' }),
    bytes: stream({ input: z.object({ name: z.string() }), output: z.instanceof(Uint8Array), delivery: 'bytes' }),
    broken: stream({ input: z.object({}), output: z.number(), delivery: 'every' }),
  },
}
export type WireContract = typeof wireContract

export interface WirePair {
  main: Transport
  page: Transport
  close(): Promise<void> | void
}

/** What the suite's main side has open, by name. */
export interface WireFeeds {
  readonly every: Map<string, Sink<number>>
  readonly latest: Map<string, Sink<number>>
  readonly bytes: Map<string, Sink<Uint8Array>>
  readonly stopped: string[]
}

export function wireApi(): { api: Api<WireContract>; feeds: WireFeeds } {
  const feeds: WireFeeds = { every: new Map(), latest: new Map(), bytes: new Map(), stopped: [] }
  const hold =
    <T>(map: Map<string, Sink<T>>) =>
    ({ name }: { name: string }, out: Sink<T>) => {
      map.set(name, out)
      return () => {
        feeds.stopped.push(name)
        map.delete(name)
      }
    }
  const api: Api<WireContract> = {
    sums: {
      add: ({ a, b }) => ok({ sum: a + b }),
      divide: ({ by }) =>
        by === 0 ? err(problem('division-by-zero', 'Nothing can be divided by 0.', 'Another number.', 'Give one.')) : ok({ result: 1 / by }),
      explode: () => {
        throw new Error('secret path /home/somebody')
      },
      lie: () => ok({ n: 'not a number' as unknown as number }),
      never: () => new Promise(() => {}),
      echo: ({ text }) => ok({ text }),
    },
    feeds: {
      every: hold(feeds.every),
      latest: hold(feeds.latest),
      bytes: hold(feeds.bytes),
      broken: () => {
        throw new Error('secret')
      },
    },
  }
  return { api, feeds }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const endMs = Date.now() + 10_000
  while (!condition()) {
    if (Date.now() > endMs) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

type Setup = { client: Client<WireContract>; feeds: WireFeeds; bugs: unknown[]; pair: WirePair; closedTimes: () => number; closeMain: () => void }

export function describeWire(name: string, makePair: () => Promise<WirePair> | WirePair): void {
  describe(`wire over ${name}`, () => {
    let open: WirePair | undefined
    afterEach(async () => {
      await open?.close()
      open = undefined
    })

    async function setUp(): Promise<Setup> {
      const pair = await makePair()
      open = pair
      const { api, feeds } = wireApi()
      const bugs: unknown[] = []
      let closedTimes = 0
      const reportBug = (_path: string, cause: unknown) => `log-${bugs.push(cause)}`
      const closeMain = serve(wireContract, api, pair.main, { reportBug, checkOutputs: true })
      const client = connect(wireContract, pair.page, {
        closed: () => {
          closedTimes += 1
        },
      })
      return { client, feeds, bugs, pair, closedTimes: () => closedTimes, closeMain }
    }

    /** Every frame that the page sent before has been handled by main when this resolves, and its answer by the page. */
    const roundTrip = (client: Client<WireContract>) => client.sums.add({ a: 1 })

    test('a call is answered, with defaults filled in on main’s side', async () => {
      const { client } = await setUp()
      expect(await client.sums.add({ a: 2, b: 3 })).toEqual(ok({ sum: 5 }))
      expect(await client.sums.add({ a: 2 })).toEqual(ok({ sum: 3 }))
    })

    test('calls that run at once each get their own answer', async () => {
      const { client } = await setUp()
      const sums = await Promise.all(Array.from({ length: 200 }, (_, a) => client.sums.add({ a, b: 1 })))
      expect(sums.map((sum) => sum.ok && sum.value.sum)).toEqual(Array.from({ length: 200 }, (_, a) => a + 1))
    })

    test('an expected failure arrives as the Problem that it is', async () => {
      const { client } = await setUp()
      const answer = await client.sums.divide({ by: 0 })
      expect(answer).toEqual(err(problem('division-by-zero', 'Nothing can be divided by 0.', 'Another number.', 'Give one.')))
    })

    test('a bad input is refused with the field named, before the handler sees it', async () => {
      const { client, bugs } = await setUp()
      const answer = await client.sums.add({ a: 'two' as unknown as number })
      expect(answer.ok ? '' : answer.error.code).toBe('bad-input')
      expect(answer.ok ? '' : answer.error.happened).toContain('a: ')
      expect(bugs).toEqual([])
    })

    test('a thrown bug becomes `internal` with its log id; its message stays in main', async () => {
      const { client, bugs } = await setUp()
      const answer = await client.sums.explode({})
      expect(answer.ok ? '' : answer.error.code).toBe('internal')
      expect(JSON.stringify(answer)).toContain('log-1')
      expect(JSON.stringify(answer)).not.toContain('secret')
      expect(bugs).toHaveLength(1)
      expect((await roundTrip(client)).ok).toBe(true)
    })

    test('an output that breaks the contract is caught as a bug', async () => {
      const { client, bugs } = await setUp()
      expect(await client.sums.lie({})).toMatchObject({ ok: false, error: { code: 'internal' } })
      expect(bugs).toHaveLength(1)
    })

    test('an endpoint that is not there, a call to a stream, and names from Object’s prototype are refused with a sentence', async () => {
      const { pair } = await setUp()
      const answers: unknown[] = []
      const raw = pair.page
      raw.listen({ message: (m) => void answers.push(JSON.parse(String(m))), closed: () => {} })
      const paths = ['sums.nothing', 'feeds.every', 'constructor.name', 'sums.toString', '__proto__.x', '', 'a.b.c']
      paths.forEach((path, id) => {
        raw.send(JSON.stringify({ t: 'call', id, path, input: {} }))
      })
      await until(() => answers.length === paths.length, 'all refused')
      for (const answer of answers) expect(answer).toMatchObject({ t: 'problem', problem: { code: 'unknown-endpoint' } })
    })

    test('`every` keeps order and loses nothing, though the viewer is slow', async () => {
      const { client, feeds } = await setUp()
      const seen: number[] = []
      client.feeds.every(
        { name: 'a' },
        {
          next: async (n) => {
            seen.push(n)
            if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
          },
        },
      )
      await until(() => feeds.every.has('a'), 'stream open')
      for (let n = 0; n < 2000; n++) void feeds.every.get('a')?.next(n)
      await until(() => seen.length === 2000, 'all events')
      expect(seen).toEqual(Array.from({ length: 2000 }, (_, n) => n))
    })

    test('`every` sends a viewer that takes nothing no more than its window, and others are not held up by it', async () => {
      const { client, feeds } = await setUp()
      let stuck = 0
      let free = 0
      client.feeds.every(
        { name: 'stuck' },
        {
          next: () => {
            stuck += 1
            return new Promise(() => {})
          },
        },
      )
      client.feeds.every(
        { name: 'free' },
        {
          next: () => {
            free += 1
          },
        },
      )
      await until(() => feeds.every.size === 2, 'both open')
      let held = false
      for (let n = 0; n < 500; n++) {
        held ||= feeds.every.get('stuck')?.next(n) !== undefined
        void feeds.every.get('free')?.next(n)
      }
      await until(() => free === 500, 'free viewer has all')
      expect(stuck).toBe(WINDOW.every)
      expect(held).toBe(true)
    })

    test('who sends is told when there is room again, and when the viewer has gone', async () => {
      const { client, feeds } = await setUp()
      let release = () => {}
      const stop = client.feeds.every({ name: 'a' }, { next: () => new Promise<void>((resolve) => (release = resolve)) })
      await until(() => feeds.every.has('a'), 'stream open')
      const out = feeds.every.get('a')
      let room: Promise<void> | undefined
      for (let n = 0; n < WINDOW.every + 5; n++) room = out?.next(n)
      expect(room).toBeInstanceOf(Promise)
      release()
      stop()
      await room
      await until(() => feeds.stopped.includes('a'), 'stopped')
    })

    test('`latest` drops what a slow viewer has no time for and always ends with the newest', async () => {
      const { client, feeds } = await setUp()
      const seen: number[] = []
      client.feeds.latest(
        { name: 'gauge' },
        {
          next: async (n) => {
            seen.push(n)
            await new Promise((resolve) => setTimeout(resolve, 5))
          },
        },
      )
      await until(() => feeds.latest.has('gauge'), 'stream open')
      for (let n = 1; n <= 1000; n++) void feeds.latest.get('gauge')?.next(n)
      await until(() => seen.at(-1) === 1000, 'the newest')
      expect(seen.length).toBeLessThan(10)
    })

    test('`bytes` arrive whole and in order, never more than the window ahead of the viewer', async () => {
      const { client, feeds } = await setUp()
      const all = Uint8Array.from({ length: 1_000_003 }, (_, i) => (i * 7 + (i >> 8)) % 256)
      const got: Uint8Array[] = []
      let size = 0
      let ahead = 0
      client.feeds.bytes(
        { name: 'tty' },
        {
          next: async (chunk) => {
            ahead += chunk.length
            expect(ahead).toBeLessThanOrEqual(WINDOW.bytes + 16 * 1024)
            got.push(chunk.slice())
            size += chunk.length
            await Promise.resolve()
            ahead -= chunk.length
          },
        },
      )
      await until(() => feeds.bytes.has('tty'), 'stream open')
      for (let at = 0; at < all.length; at += 50_000) await feeds.bytes.get('tty')?.next(all.subarray(at, at + 50_000))
      await until(() => size === all.length, 'all bytes')
      expect(Buffer.compare(Buffer.concat(got), Buffer.from(all))).toBe(0)
    })

    test('a viewer that never takes anything is cut off with a Problem before main’s memory fills', async () => {
      const { client, feeds } = await setUp()
      const problems: Problem[] = []
      client.feeds.bytes({ name: 'tty' }, { next: () => new Promise(() => {}), error: (p) => problems.push(p) })
      await until(() => feeds.bytes.has('tty'), 'stream open')
      const out = feeds.bytes.get('tty')
      for (let n = 0; n < 40; n++) void out?.next(new Uint8Array(512 * 1024))
      await until(() => problems.length === 1, 'cut off')
      expect(problems[0]?.code).toBe('viewer-too-slow')
      expect(feeds.stopped).toEqual(['tty'])
      expect((await roundTrip(client)).ok).toBe(true)
    })

    test('an end and a failure come after everything that was sent before them, and stop the source', async () => {
      const { client, feeds } = await setUp()
      const said: unknown[] = []
      const observer = (tag: string) => ({
        next: (n: number) => void said.push([tag, n]),
        end: () => void said.push([tag, 'end']),
        error: (p: Problem) => void said.push([tag, p.code]),
      })
      client.feeds.every({ name: 'ends' }, observer('ends'))
      client.feeds.every({ name: 'fails' }, observer('fails'))
      await until(() => feeds.every.size === 2, 'both open')
      const [ends, fails] = [feeds.every.get('ends'), feeds.every.get('fails')]
      for (let n = 0; n < 100; n++) void ends?.next(n)
      ends?.end()
      await until(() => said.length === 101, 'ended')
      expect(said.at(-1)).toEqual(['ends', 'end'])
      void fails?.next(1)
      fails?.fail(problem('gone', 'It is gone.', '', ''))
      await until(() => said.length === 103, 'failed')
      expect(said.slice(-2)).toEqual([
        ['fails', 1],
        ['fails', 'gone'],
      ])
      await until(() => feeds.stopped.length === 2, 'sources stopped')
    })

    test('a stopped stream says nothing more and stops its source once', async () => {
      const { client, feeds } = await setUp()
      const seen: number[] = []
      const stop = client.feeds.every({ name: 'a' }, { next: (n) => void seen.push(n) })
      await until(() => feeds.every.has('a'), 'stream open')
      const out = feeds.every.get('a')
      void out?.next(1)
      await until(() => seen.length === 1, 'first event')
      stop()
      stop()
      void out?.next(2)
      await roundTrip(client)
      void out?.next(3)
      await roundTrip(client)
      expect(seen).toEqual([1])
      expect(feeds.stopped).toEqual(['a'])
    })

    test('a source that throws while it opens is a bug for its own stream only', async () => {
      const { client, bugs } = await setUp()
      const problems: Problem[] = []
      client.feeds.broken({}, { next: () => {}, error: (p) => problems.push(p) })
      await until(() => problems.length === 1, 'told')
      expect(problems[0]?.code).toBe('internal')
      expect(bugs).toHaveLength(1)
      expect((await roundTrip(client)).ok).toBe(true)
    })

    test('five megabytes of text go there and back unharmed', async () => {
      const { client } = await setUp()
      const text = 'Plimsoll · 載重線 · 🚢\n'.repeat(200_000)
      const answer = await client.sums.echo({ text })
      expect(answer.ok && answer.value.text === text).toBe(true)
    })

    test('garbage frames harm nobody; a hundred of them end the connection', async () => {
      const { client, pair, feeds, closedTimes } = await setUp()
      client.feeds.every({ name: 'a' }, { next: () => {} })
      await until(() => feeds.every.has('a'), 'stream open')
      const garbage = [
        '{',
        'null',
        '[]',
        '{"t":"call"}',
        '{"t":"credit","id":1,"amount":-5}',
        '{"t":"open","id":1e99,"path":"x"}',
        new Uint8Array([9]),
      ]
      for (const frame of garbage) pair.page.send(frame)
      expect((await roundTrip(client)).ok).toBe(true)
      expect(feeds.stopped).toEqual([])
      for (let n = 0; n < 100; n++) pair.page.send('{')
      await until(() => closedTimes() === 1, 'closed')
      expect(feeds.stopped).toEqual(['a'])
    })

    test('a page that claims endless credit is owed no more than the window', async () => {
      const { client, pair, feeds } = await setUp()
      let seen = 0
      client.feeds.every(
        { name: 'a' },
        {
          next: () => {
            seen += 1
            return new Promise(() => {})
          },
        },
      )
      await until(() => feeds.every.has('a'), 'stream open')
      for (let id = 0; id < 10; id++) pair.page.send(JSON.stringify({ t: 'credit', id, amount: 1_000_000 }))
      await roundTrip(client)
      for (let n = 0; n < 500; n++) void feeds.every.get('a')?.next(n)
      await roundTrip(client)
      expect(seen).toBe(WINDOW.every)
    })

    test('a flood of calls that never end is answered with Problems, and what ends goes on working', async () => {
      const { client } = await setUp()
      const answers: Promise<unknown>[] = []
      for (let n = 0; n < 600; n++) answers.push(client.sums.never({}))
      const last = await Promise.race(answers)
      expect(last).toMatchObject({ ok: false, error: { code: 'too-many-requests' } })
    })

    test('a closed connection stops every source, ends every call and stream with `connection-lost`, and refuses new ones', async () => {
      const { client, feeds, pair, closedTimes } = await setUp()
      const problems: Problem[] = []
      for (const name of ['a', 'b']) client.feeds.every({ name }, { next: () => {}, error: (p) => problems.push(p) })
      await until(() => feeds.every.size === 2, 'both open')
      const waiting = client.sums.never({})
      pair.page.close()
      expect(await waiting).toMatchObject({ ok: false, error: { code: 'connection-lost' } })
      await until(() => feeds.stopped.length === 2, 'sources stopped')
      expect(problems.map((p) => p.code)).toEqual(['connection-lost', 'connection-lost'])
      expect(await client.sums.add({ a: 1 })).toMatchObject({ ok: false, error: { code: 'connection-lost' } })
      expect(closedTimes()).toBe(1)
    })

    test('main closing the connection is told to the page', async () => {
      const { client, feeds, closeMain, closedTimes } = await setUp()
      client.feeds.every({ name: 'a' }, { next: () => {} })
      await until(() => feeds.every.has('a'), 'stream open')
      closeMain()
      await until(() => closedTimes() === 1, 'page knows')
      expect(feeds.stopped).toEqual(['a'])
    })
  })
}
