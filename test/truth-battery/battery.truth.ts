/** The whole battery, one configuration after the other; `npm run truth` starts it. Not part of `npm test`: it wants a quiet machine and ten minutes. */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppUnderTest, openAppUnderTest } from '../app-under-test.ts'
import { CONFIGURATIONS } from './configurations.ts'
import { type Judged, tableOf, totalsOf, totalsText } from './judge.ts'
import { play } from './play.ts'

const only = (process.env.PLIMSOLL_TRUTH_ONLY ?? '').split(',').filter((name) => name !== '')
const keepIn = process.env.PLIMSOLL_TRUTH_OUT
const chosen = CONFIGURATIONS.filter(({ name }) => only.length === 0 || only.some((wanted) => name.startsWith(wanted)))
const judged: Judged[] = []

let plimsoll: AppUnderTest
beforeAll(async () => {
  plimsoll = await openAppUnderTest()
})
afterAll(() => plimsoll?.close())

for (const configuration of chosen) {
  test(configuration.name, async () => {
    const one = await play(plimsoll, configuration)
    judged.push(one)
    const marks = `${one.isRight ? 'right' : 'WRONG'}  slots ${one.slots.found}${one.slots.isRight === false ? ' WRONG' : ''}  ceiling ${one.ceiling.found}${one.ceiling.isInside === false ? ' OUTSIDE' : ''}`
    process.stdout.write(`${one.name.padEnd(26)} ${one.verdict.padEnd(20)} ${one.confidence.padEnd(11)} ${marks}\n`)
    if (!one.isRight) process.stdout.write(`    wanted ${one.wanted}: ${one.sentence}\n`)
  })
}

test('the bounds hold', () => {
  const totals = totalsOf(judged)
  process.stdout.write(`\n${tableOf(judged)}\n\n${totalsText(totals)}\n`)
  if (keepIn !== undefined && only.length === 0) {
    const where = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown CPU'}`
    const text = `# The truth battery

Simulated configurations with a known cause, each swept through the real load driver and the real runner. Written by \`npm run truth\`: ${where}.

${totalsText(totals)}

${tableOf(judged)}
`
    writeFileSync(keepIn, text)
  }
  expect(totals.holds, totalsText(totals)).toBe(true)
})
