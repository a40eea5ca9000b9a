import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeSse, encodeSseComment } from './encode-sse.ts'
import { createSseParser, type SseItem } from './sse-parser.ts'

function parse(pieces: readonly string[]): SseItem[] {
  const parser = createSseParser()
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((p) => p % (text.length + 1)).sort((a, b) => a - b), text.length]
  return at.slice(1).map((end, i) => text.slice(at[i], end))
}

const word = fc.string().map((s) => s.replaceAll(/[\r\n\0]/g, '·'))

describe('SSE parser', () => {
  test('what the encoder writes is read back the same, however it is cut', () => {
    const written = fc.record({ data: fc.string({ unit: 'grapheme' }), event: fc.option(word, { nil: undefined }) })
    fc.assert(
      fc.property(fc.array(written), fc.array(fc.nat(5_000)), (events, places) => {
        const text = events.map((e) => encodeSse(e.data, { event: e.event })).join(encodeSseComment('ping'))
        const items = parse(cut(text, places)).filter((item) => item.kind === 'event')
        expect(items.map((item) => ({ data: item.data, event: item.event }))).toEqual(
          events.map((e) => ({ data: e.data.replaceAll(/\r\n|\r/g, '\n'), event: e.event === undefined || e.event === '' ? 'message' : e.event })),
        )
      }),
    )
  })

  test('the three kinds of line end mean the same, also when \\r\\n is cut in the middle', () => {
    const plain = 'event: a\ndata: 1\ndata: 2\n\n: c\n\ndata: 3\n\n'
    const expected = parse([plain])
    for (const eol of ['\r\n', '\r']) {
      const text = plain.replaceAll('\n', eol)
      expect(parse([text])).toEqual(expected)
      expect(parse([...text])).toEqual(expected)
    }
  })

  test('comments are handed out, so that a ping is not taken for the first byte of an answer', () => {
    expect(parse([': ping\n\ndata: x\n\n'])).toEqual([
      { kind: 'comment', text: 'ping' },
      { kind: 'event', event: 'message', data: 'x', id: undefined, closed: true },
    ])
  })

  test('an id stays for the events after it, a retry is told, a mark at the start is skipped', () => {
    expect(parse(['\ufeffid: 7\nretry: 1500\ndata: a\n\ndata: b\n\n'])).toEqual([
      { kind: 'retry', delayMs: 1500 },
      { kind: 'event', event: 'message', data: 'a', id: '7', closed: true },
      { kind: 'event', event: 'message', data: 'b', id: '7', closed: true },
    ])
  })

  test('an event that the end of the stream cuts off is given, marked as not closed', () => {
    expect(parse(['data: [DONE]'])).toEqual([{ kind: 'event', event: 'message', data: '[DONE]', id: undefined, closed: false }])
  })

  test('an event without data is none', () => {
    expect(parse(['event: ping\n\n\n\n'])).toEqual([])
  })
})
