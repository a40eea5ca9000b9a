import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createByteLineSplitter, createLineSplitter } from './line-splitter.ts'

const noLineBreak = fc.string({ unit: 'grapheme' }).map((s) => s.replaceAll(/[\r\n]/g, '·'))

/** Cuts `whole` at the given places, which may repeat and stand in any order. */
function cut<T extends { slice(from: number, to?: number): T; length: number }>(whole: T, places: readonly number[]): T[] {
  const at = [0, ...places.map((p) => p % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return at.slice(1).map((end, i) => whole.slice(at[i] ?? 0, end))
}

describe('line splitter', () => {
  test('however the text is cut, the same lines come out, in order', () => {
    fc.assert(
      fc.property(fc.array(noLineBreak), fc.array(fc.nat(5_000)), fc.constantFrom('\n', '\r\n'), fc.boolean(), (lines, places, eol, lastEnds) => {
        const text = lines.join(eol) + (lastEnds ? eol : '')
        const splitter = createLineSplitter()
        const got = [...cut(text, places).flatMap((piece) => splitter.push(piece)), ...splitter.end()]
        expect(got).toEqual(lines.filter((line) => line !== ''))
      }),
    )
  })

  test('bytes cut inside a character give the same lines as the text', () => {
    fc.assert(
      fc.property(fc.array(noLineBreak), fc.array(fc.nat(5_000)), fc.boolean(), (lines, places, lastEnds) => {
        const bytes = new Uint8Array(Buffer.from(lines.join('\n') + (lastEnds ? '\n' : '')))
        const splitter = createByteLineSplitter()
        const got = [...cut(bytes, places).flatMap((piece) => splitter.push(piece)), ...splitter.end()]
        expect(got.map((line) => Buffer.from(line).toString())).toEqual(lines.filter((line) => line !== ''))
      }),
    )
  })

  test('a line is given as soon as its newline arrives', () => {
    const splitter = createLineSplitter()
    expect(splitter.push('{"a":1}')).toEqual([])
    expect(splitter.push('\n{"b"')).toEqual(['{"a":1}'])
    expect(splitter.push(':2}\n\n{"c":3}\r\n')).toEqual(['{"b":2}', '{"c":3}'])
    expect(splitter.end()).toEqual([])
  })

  test('a last line without newline comes at the end, once', () => {
    const splitter = createLineSplitter()
    splitter.push('{"done":true}')
    expect(splitter.end()).toEqual(['{"done":true}'])
    expect(splitter.end()).toEqual([])
  })

  test('one line of 4 MB in 64-byte pieces takes no quadratic time', () => {
    const splitter = createLineSplitter()
    const piece = 'x'.repeat(64)
    const startMs = performance.now()
    for (let i = 0; i < 65_536; i++) splitter.push(piece)
    expect(splitter.push('\n')[0]?.length).toBe(4 * 1024 * 1024)
    expect(performance.now() - startMs).toBeLessThan(2_000)
  })
})
