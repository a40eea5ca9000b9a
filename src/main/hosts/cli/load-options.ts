/** How the sessions of a sweep arrive, and what they say: `--load`, `--span`, `--rates`, `--workload`. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { MOST_OPEN_TURNS } from '../../../core/sweep/load-cells.ts'
import type { Load } from '../../../core/sweep/plan.ts'
import type { Take } from './read-openai.ts'
import { readMs } from './read-values.ts'

type LoadFlags = { load?: string; span?: string; rates?: string }

/** Long enough for a few dozen turns of a local model; short enough that four levels in three repeats take two minutes. */
const DEFAULT_SPAN_MS = 10_000
const MOST_SPAN_MS = 3_600_000
/** A rate beyond it is a typing error: no machine of today takes so many agents in. */
const MOST_RATE = 1_000
const MOST_RATES = 64

export function readLoad(flags: LoadFlags, take: Take): Load | undefined {
  const kind = flags.load ?? (flags.rates !== undefined ? 'open' : flags.span !== undefined ? 'sustained' : undefined)
  if (kind === undefined) return undefined
  const spanMs = flags.span === undefined ? DEFAULT_SPAN_MS : (take(readSpan(flags.span)) ?? DEFAULT_SPAN_MS)
  switch (kind) {
    case 'burst':
      if (flags.span !== undefined || flags.rates !== undefined) take(err(clash('--load burst', '--span or --rates')))
      return { kind }
    case 'sustained':
      if (flags.rates !== undefined) take(err(clash('--load sustained', '--rates')))
      return { kind, spanMs }
    case 'open': {
      const ratesPerSec = take(readRates(flags.rates))
      if (ratesPerSec !== undefined && Math.max(...ratesPerSec) * (spanMs / 1_000) > MOST_OPEN_TURNS) take(err(tooMany(ratesPerSec, spanMs)))
      return ratesPerSec === undefined ? undefined : { kind, spanMs, ratesPerSec }
    }
    default:
      take(
        err(
          problem(
            'load-unknown',
            `There is no load "${kind}".`,
            'Expected burst (N at once), sustained (N stay in flight) or open (so many a second).',
            'For example: --load sustained --span 10s',
          ),
        ),
      )
      return undefined
  }
}

function readSpan(text: string): Result<number, Problem> {
  const ms = readMs('--span', text, '10s')
  if (!ms.ok || ms.value <= MOST_SPAN_MS) return ms
  return err(
    problem('span-too-long', `--span ${text} is longer than an hour.`, 'Expected at most 1 h for each level and repeat.', 'For example: --span 60s'),
  )
}

function readRates(text: string | undefined): Result<number[], Problem> {
  const words = (text ?? '').split(',').map((word) => word.trim())
  const rates = words.map(Number)
  if (words.length <= MOST_RATES && rates.every((rate, i) => words[i] !== '' && rate > 0 && rate <= MOST_RATE)) return ok([...new Set(rates)])
  return err(
    problem(
      text === undefined ? 'option-missing' : 'rates-invalid',
      text === undefined ? '--load open needs --rates.' : `--rates ${text} can't be used.`,
      `Expected how many sessions arrive a second: up to ${MOST_RATES} numbers above 0 and up to ${MOST_RATE}, parted by commas.`,
      'For example: --rates 0.5,1,2,4',
    ),
  )
}

function clash(load: string, others: string): Problem {
  return problem('options-clash', `${load} and ${others} can't be used together.`, '', 'Leave one of them out.')
}

function tooMany(rates: readonly number[], spanMs: number): Problem {
  const most = Math.max(...rates)
  return problem(
    'load-too-large',
    `${most} sessions a second for ${spanMs / 1_000} s are ${Math.round((most * spanMs) / 1_000)} sessions in one cell.`,
    `At most ${MOST_OPEN_TURNS} are taken.`,
    'Lower --rates or --span.',
  )
}
