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

test.each(CONFIGURATIONS.filter(({ short }) => short === true).map((one) => [one.name, one] as const))('%s', async (_, configuration) => {
  const judged = await play(plimsoll, configuration)
  expect(judged, judged.sentence).toMatchObject({ isRight: true, isWrongAndSure: false })
  expect(judged.slots.isRight).not.toBe(false)
})
