/** Plays one configuration the way a person would: a sweep through the real driver and runner, or a file through `analyse`. */
import { analyseFiles } from '../../src/core/analysis/tables/analyse-files.ts'
import type { SweepRequestInput } from '../../src/core/sweep/plan.ts'
import type { AppUnderTest } from '../app-under-test.ts'
import type { Configuration, SweptConfiguration, TableConfiguration } from './configuration.ts'
import { type Found, foundIn, type Judged, judge } from './judge.ts'

export async function play(plimsoll: AppUnderTest, configuration: Configuration): Promise<Judged> {
  const startedMs = performance.now()
  const found = configuration.kind === 'table' ? readTable(configuration) : await sweep(plimsoll, configuration)
  return judge(configuration, found, (performance.now() - startedMs) / 1000)
}

function readTable({ name, text }: TableConfiguration): Found {
  const { tables, problems } = analyseFiles([{ name: text.startsWith('{') ? `${name}.json` : `${name}.csv`, text }])
  const [table] = tables
  if (table === undefined) throw new Error(problems.map(({ happened }) => happened).join(' '))
  const { ceilingN, highestTestedN, verdict } = table
  const ceiling =
    ceilingN === null
      ? { status: 'not-reached' as const, n: highestTestedN, low: null, high: null, because: '' }
      : { status: 'found' as const, n: ceilingN, low: ceilingN, high: ceilingN, because: '' }
  return { verdict, effectiveSlots: verdict.effectiveSlots, ceiling }
}

async function sweep(plimsoll: AppUnderTest, { request, wire }: SweptConfiguration): Promise<Found> {
  if (wire === undefined) return foundIn((await plimsoll.sweep(request)).analysis)
  const { target } = request
  if (target.kind !== 'built-in') throw new Error('Only a server of ours can be started by itself.')
  const server = await plimsoll.app.models.startBuiltIn({
    engine: target.engine,
    slots: target.slots,
    ...(target.settings ? { settings: target.settings } : {}),
  })
  if (!server.ok) throw new Error(server.error.happened)
  try {
    const byAddress: SweepRequestInput['target'] = { kind: 'server', url: server.value.url, model: server.value.info.models[0] ?? '', api: wire }
    return foundIn((await plimsoll.sweep({ ...request, target: byAddress })).analysis)
  } finally {
    await server.value.stop()
  }
}
