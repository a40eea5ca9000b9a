import { expect, test } from 'vitest'
import { createRefusals } from './refusals.ts'
import { simulationSettingsSchema } from './simulation-settings.ts'

const gate = (part: object) => createRefusals(simulationSettingsSchema.parse(part))
const arrival = (atMs: number, part: object = {}) => ({ atMs, epochMs: 0, inHouse: 0, overloaded: false, ...part })
const statuses = (part: object, arrivals: readonly { atMs: number; inHouse?: number; overloaded?: boolean }[]) => {
  const refusals = gate(part)
  return arrivals.map((one) => refusals.refusalOf(arrival(one.atMs, one))?.status ?? 200)
}
const at = (...moments: number[]) => moments.map((atMs) => ({ atMs }))

test('without a limit everybody comes in', () => {
  expect(statuses({}, at(0, 0, 0, 0))).toEqual([200, 200, 200, 200])
})

test('a rate: what comes beyond it is 429 with the seconds to wait, and the allowance fills up again', () => {
  expect(statuses({ rateLimitPerSec: 2, rateLimitBurst: 2 }, at(0, 1, 2, 600, 601))).toEqual([200, 200, 429, 200, 429])
  const refusals = gate({ rateLimitPerSec: 1, retryAfterS: 17 })
  refusals.refusalOf(arrival(0))
  expect(refusals.refusalOf(arrival(1))).toMatchObject({ status: 429, retryAfterS: 17 })
})

test('a quota: 429 that names the moment of the reset and no seconds to wait', () => {
  const refusals = gate({ usageLimitRequests: 1 })
  expect(refusals.refusalOf(arrival(0))).toBeUndefined()
  expect(refusals.refusalOf(arrival(1e9))).toEqual({ status: 429, message: "You've hit your usage limit, resets at 1970-01-01T05:00:00.000Z" })
})

test('a burst at launch: 529 beyond so many starts within the window; the same starts one by one come in', () => {
  expect(statuses({ burstLimit: 3, burstWindowMs: 1_000 }, at(0, 1, 2, 3, 4))).toEqual([200, 200, 200, 529, 529])
  expect(statuses({ burstLimit: 3, burstWindowMs: 1_000 }, at(0, 500, 1_000, 1_500, 2_000))).toEqual([200, 200, 200, 200, 200])
})

test('too many at once is 429 as a proxy says it; overload is 529', () => {
  expect(
    statuses({ maxInFlight: 2 }, [
      { ...arrival(0), inHouse: 1 },
      { ...arrival(0), inHouse: 2 },
    ]),
  ).toEqual([200, 429])
  expect(statuses({}, [{ ...arrival(0), overloaded: true }])).toEqual([529])
})
