import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DueQueue } from './due-queue.ts'

test('whatever is added, moved or removed, the earliest comes out first', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), ms: fc.nat(1_000) }),
    fc.record({ kind: fc.constant('take' as const), ms: fc.nat() }),
    fc.record({ kind: fc.constant('delay-first' as const), ms: fc.nat(1_000) }),
    fc.record({ kind: fc.constant('remove' as const), ms: fc.nat() }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new DueQueue<{ dueMs: number }>()
      let model: { dueMs: number }[] = []
      for (const { kind, ms } of steps) {
        const first = queue.peek()
        if (kind === 'add') {
          const item = { dueMs: ms }
          queue.add(item)
          model.push(item)
        } else if (kind === 'take') {
          const taken = queue.take()
          expect(taken).toBe(first)
          model = model.filter((item) => item !== taken)
        } else if (kind === 'delay-first' && first !== undefined) {
          first.dueMs += ms
          queue.firstMoved()
        } else if (kind === 'remove' && model.length > 0) {
          const gone = model[ms % model.length] ?? { dueMs: 0 }
          queue.remove(gone)
          model = model.filter((item) => item !== gone)
        }
        expect(queue.size).toBe(model.length)
        expect(queue.peek()?.dueMs).toBe(model.length === 0 ? undefined : Math.min(...model.map((item) => item.dueMs)))
      }
    }),
  )
})
