/** A few configurations of the truth battery, through the same code; `npm run truth` plays all. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppUnderTest, openAppUnderTest } from '../app-under-test.ts'
import { CONFIGURATIONS } from './configurations.ts'
import { play } from './play.ts'

let plimsoll: AppUnderTest
beforeAll(async () => {
  plimsoll = await openAppUnderTest()
})
afterAll(() => plimsoll?.close())

test('each configuration has a name of its own, and each verdict of a live sweep has at least three', () => {
  expect(new Set(CONFIGURATIONS.map(({ name }) => name)).size).toBe(CONFIGURATIONS.length)
  const counts = new Map<string, number>()
  for (const { truth } of CONFIGURATIONS) counts.set(truth.verdicts[0], (counts.get(truth.verdicts[0]) ?? 0) + 1)
  expect([...counts.values()].every((count) => count >= 3)).toBe(true)
  // The scheduler's verdict is judged from tables as long as no job can be run.
  expect(counts.size).toBe(10)
})

test.each(CONFIGURATIONS.filter(({ short }) => short === true).map((one) => [one.name, one] as const))('%s', async (_, configuration) => {
  const judged = await play(plimsoll, configuration)
  expect(judged, judged.sentence).toMatchObject({ isRight: true, isWrongAndSure: false })
  expect(judged.slots.isRight).not.toBe(false)
})
