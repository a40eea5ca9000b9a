import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type TurnId, turnIdSchema } from '../result/ids.ts'
import { type Admission, askAdmission, leaveAdmission, limitAdmission, openAdmission, releaseAdmission } from './admission.ts'

const id = (n: number): TurnId => turnIdSchema.parse(`t${n}`)

describe('admission', () => {
  test('lets in up to the limit, then keeps the order of arrival', () => {
    let admission: Admission = openAdmission(2)
    const admitted: TurnId[] = []
    for (const n of [1, 2, 3, 4]) {
      const step = askAdmission(admission, id(n))
      admission = step.admission
      admitted.push(...step.admitted)
    }
    expect(admitted).toEqual([id(1), id(2)])
    expect(admission.waiting).toEqual([id(3), id(4)])
    expect(releaseAdmission(admission)).toEqual({ admission: { limit: 2, running: 2, waiting: [id(4)] }, admitted: [id(3)] })
  })

  test('one that leaves makes no room, and the others move up', () => {
    const full: Admission = { limit: 1, running: 1, waiting: [id(2), id(3)] }
    expect(leaveAdmission(full, id(2))).toEqual({ limit: 1, running: 1, waiting: [id(3)] })
    expect(leaveAdmission(full, id(9))).toBe(full)
  })

  test('a higher limit lets in at once, a lower one stops nobody', () => {
    const full: Admission = { limit: 1, running: 1, waiting: [id(2), id(3), id(4)] }
    expect(limitAdmission(full, 3)).toMatchObject({ admission: { running: 3, waiting: [id(4)] }, admitted: [id(2), id(3)] })
    expect(limitAdmission({ limit: 3, running: 3, waiting: [id(4)] }, 1)).toMatchObject({ admission: { running: 3, waiting: [id(4)] }, admitted: [] })
  })

  test('whatever happens, never more run than the limit allows, nobody waits beside a free place, and the order is kept', () => {
    const step = fc.oneof(fc.constant('ask' as const), fc.constant('release' as const), fc.constant('leave' as const))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (limit, steps) => {
        let admission = openAdmission(limit)
        const asked: TurnId[] = []
        const gone: TurnId[] = []
        const admitted: TurnId[] = []
        for (const kind of steps) {
          if (kind === 'leave') {
            const last = admission.waiting.at(-1)
            if (last === undefined) continue
            gone.push(last)
            admission = leaveAdmission(admission, last)
            continue
          }
          if (kind === 'release' && admission.running === 0) continue
          const turnId = id(asked.length)
          if (kind === 'ask') asked.push(turnId)
          const next = kind === 'ask' ? askAdmission(admission, turnId) : releaseAdmission(admission)
          admission = next.admission
          admitted.push(...next.admitted)
          expect(admission.running).toBeLessThanOrEqual(limit)
          expect(admission.waiting.length === 0 || admission.running === limit).toBe(true)
        }
        expect([...admitted, ...admission.waiting]).toEqual(asked.filter((one) => !gone.includes(one)))
      }),
    )
  })
})
