import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeSse, encodeSseComment } from '../../core/stream/encode-sse.ts'
import { createEventScanner, numberAfter, utf8Of } from './event-scanner.ts'

function scan(pieces: readonly Buffer[]): [string, number, unknown][] {
  const seen: [string, number, unknown][] = []
  const scanner = createEventScanner((type, seq, data) => seen.push([type, seq, JSON.parse(utf8Of(data))]))
  for (const piece of pieces) scanner.push(piece)
  return seen
}

test('what the runner writes is read back, however the bytes are cut', () => {
  const events = fc.array(fc.record({ type: fc.constantFrom('delta', 'turn-ended'), text: fc.string({ unit: 'grapheme' }), ping: fc.boolean() }))
  fc.assert(
    fc.property(events, fc.array(fc.nat(200), { minLength: 1 }), (items, cuts) => {
      const text = items.map(
        ({ type, text, ping }, i) =>
          `${ping ? encodeSseComment('ping') : ''}${encodeSse(JSON.stringify({ text }), { event: type, id: String(i + 1) })}`,
      )
      const bytes = Buffer.from(text.join(''))
      const pieces: Buffer[] = []
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = 1 + (cuts[i % cuts.length] ?? 0)
        pieces.push(bytes.subarray(at, at + size))
        at += size
      }
      expect(scan(pieces)).toEqual(items.map(({ type, text }, i) => [type, i + 1, { text }]))
    }),
  )
})

test('a number is found behind its key, and never inside a text', () => {
  const text = 'says "atMs":7 '
  expect(numberAfter(JSON.stringify({ seq: 3, text, atMs: 123456.789 }), '"atMs":')).toBe(123456.789)
  expect(numberAfter(JSON.stringify({ acceptedAtMs: 5 }), '"atMs":')).toBeNaN()
})
