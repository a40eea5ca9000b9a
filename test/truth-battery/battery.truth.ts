/** The whole battery, one configuration after the other; `npm run truth` starts it. Not part of `npm test`: it wants a quiet machine and ten minutes. */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppUnderTest, openAppUnderTest } from '../app-under-test.ts'
import { CONFIGURATIONS } from './configurations.ts'
import { type Judged, tableOf, totalsOf, totalsText } from './judge.ts'
import { play } from './play.ts'

const env = (name: string) => process.env[`PLIMSOLL_TRUTH_${name}`] ?? ''
const only = env('ONLY')
  .split(',')
  .filter((name) => name !== '')
const chosen = CONFIGURATIONS.filter(({ name }) => only.length === 0 || only.some((wanted) => name.startsWith(wanted)))
const isListed = env('LIST') !== ''
const judged: Judged[] = []
const say = (text: string) => process.stdout.write(`${text}\n`)

let plimsoll: AppUnderTest
beforeAll(async () => {
  if (!isListed) plimsoll = await openAppUnderTest()
})
afterAll(() => plimsoll?.close())

for (const configuration of isListed ? [] : chosen) {
  test(configuration.name, async () => {
    const one = await play(plimsoll, configuration)
    judged.push(one)
    const slots = `slots ${one.slots.found ?? '–'}${one.slots.isRight === false ? ' WRONG' : ''}`
    const ceiling = `ceiling ${one.ceiling.found}${one.ceiling.isInside === false ? ' OUTSIDE' : ''}`
    say(`${one.name.padEnd(28)} ${one.verdict.padEnd(20)} ${one.confidence.padEnd(11)} ${one.isRight ? 'right' : 'WRONG'}  ${slots}  ${ceiling}`)
    if (!one.isRight) say(`    wanted ${one.wanted}: ${one.sentence}`)
  })
}

test.runIf(isListed)('the names', () => {
  for (const { name, fault, truth } of chosen) say(`${name.padEnd(30)} ${truth.verdicts.join(' or ')}: ${fault}`)
})

test.runIf(!isListed)('the bounds hold', () => {
  const totals = totalsOf(judged)
  say(`\n${tableOf(judged)}\n\n${totalsText(totals)}`)
  if (env('JSON') !== '') say(JSON.stringify({ totals, judged }))
  if (env('OUT') !== '') writeFileSync(env('OUT'), pageOf(judged))
  expect(totals.holds, totalsText(totals)).toBe(true)
})

function pageOf(all: readonly Judged[]): string {
  const where = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown CPU'}`
  return `# The truth battery

Servers, runners, load drivers and tables with a known fault built in. Each is swept through the real load driver and the real runner (tables go through
\`plimsoll analyse\`), and what is found is held against what is known. Written by \`npm run truth\`: ${where}, ${Math.round(all.reduce((sum, { seconds }) => sum + seconds, 0) / 60)} min.

${totalsText(totalsOf(all))}

"Evidence" rows play findings that others published, their figures scaled down in time. Where two verdicts may be named, both are true of what is built in.
The ceiling is the throughput ceiling with its interval; a truth stands beside it where the simulation, played in virtual time, has one.

${tableOf(all)}
`
}
