import { expect, test } from 'vitest'
import { ManualClock } from '../platform/clock.ts'
import { createPtyWriter } from './pty-writer.ts'

/** A program that reads `room` bytes and then nothing until there is room again. */
function create() {
  const clock = new ManualClock()
  const program = { room: 0, read: '', tries: 0, isGone: false }
  const taken: number[] = []
  const writeTo = (_fd: number, piece: Uint8Array, offset: number, length: number) => {
    program.tries++
    if (program.isGone) throw Object.assign(new Error('gone'), { code: 'EIO' })
    if (program.room === 0) throw Object.assign(new Error('again'), { code: 'EAGAIN' })
    const bytes = Math.min(program.room, length)
    program.room -= bytes
    program.read += Buffer.from(piece.subarray(offset, offset + bytes)).toString()
    return bytes
  }
  const writer = createPtyWriter(3, clock, (bytes) => taken.push(bytes), writeTo as typeof import('node:fs').writeSync)
  return { clock, program, taken, writer }
}
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

test('a key is written at once', () => {
  const { program, taken, writer } = create()
  program.room = 10
  writer.write('é')
  expect([program.read, taken]).toEqual(['é', [2]])
})

test('a program that does not read is asked ever more seldom, and gets all in order when it reads', () => {
  const { clock, program, taken, writer } = create()
  writer.write('a'.repeat(10_000))
  writer.write('b'.repeat(10_000))
  clock.advance(10_000)
  expect(program.tries).toBeLessThan(200)
  program.room = 15_000
  clock.advance(100)
  expect(sum(taken)).toBe(15_000)
  program.room = 100_000
  clock.advance(100)
  expect(program.read).toBe('a'.repeat(10_000) + 'b'.repeat(10_000))
  expect(sum(taken)).toBe(20_000)
})

test('a megabyte leaves turns to others', () => {
  const { clock, program, taken, writer } = create()
  program.room = 10_000_000
  writer.write('x'.repeat(1_000_000))
  expect(sum(taken)).toBeLessThan(100_000)
  clock.advance(1)
  expect(sum(taken)).toBe(1_000_000)
})

test('input of a program that has gone is counted as taken, so that nobody waits for it', () => {
  const { clock, program, taken, writer } = create()
  writer.write('abc')
  program.isGone = true
  clock.advance(100)
  expect(sum(taken)).toBe(3)
  const other = create()
  other.writer.write('abcd')
  other.writer.close()
  other.writer.write('e')
  expect(sum(other.taken)).toBe(4)
})
