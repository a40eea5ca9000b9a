/** Verdicts on the measurement itself: rows that differ in an arm at one n, connections, answers that come in one piece, drift, slots that changed. */
import { leavesOpen, supports } from '../verdict/finding.ts'
import { contextText, type Figures } from './measured-table.ts'
import { finding, type SeriesFacts, type TableFacts, type TableRule } from './table-finding.ts'
import { decimal, listed, percent, span, times, tokens } from './table-words.ts'

type Arm = {
  readonly label: string
  readonly n: number | null
  readonly row: Figures
  readonly total: number | null
  readonly firstMs: number | null
  readonly latencyMs: number | null
}

const armsOf = (all: readonly SeriesFacts[]): Arm[] =>
  all.flatMap(({ series }) =>
    series.points.map(({ n, row, total, firstMs, latencyMs }) => ({ label: series.label, n, row, total, firstMs, latencyMs })),
  )

const named = ({ label, n }: Arm): string => `${label === '' ? '' : `"${label}"`}${n === null ? '' : `${label === '' ? '' : ' '}at n=${n}`}`

/** Connections that were closed while nobody used them. More than one in a hundred is no accident of the network. */
export const resetRule: TableRule = ({ all }) => {
  const arms = armsOf(all).flatMap((arm) => {
    const { resetPercent, resets, requests } = arm.row
    const share =
      resetPercent !== undefined ? resetPercent / 100 : resets !== undefined && requests !== undefined && requests > 0 ? resets / requests : undefined
    return share === undefined ? [] : [{ arm, share }]
  })
  const hit = arms.filter(({ share }) => share > 0.01).toSorted((a, b) => b.share - a.share)
  const [worst] = hit
  const least = hit.at(-1)
  if (worst === undefined || least === undefined) return null
  const clean = arms.find(({ arm, share }) => share <= 0.001 && arm.label !== worst.arm.label)
  const range = hit.length > 1 ? `${decimal(100 * least.share)} to ${decimal(100 * worst.share)} %` : `up to ${decimal(100 * worst.share)} %`
  const claim = `${range} of the requests end in a connection reset (${named(worst.arm)})${clean === undefined ? '' : `, and none does ${named(clean.arm)}`}: connections that were kept and reused had been closed by the other side.`
  return finding('runner_process', clean === undefined ? 'suspected' : 'likely', {
    mechanism: 'stale reused connections in the client',
    sentence: `The client's own connections give way first: ${claim}`,
    ceilingN: null,
    claims: [
      claim,
      'A reset on a reused connection before the first byte was never executed: repeat it once on a fresh connection and count it apart; it says nothing of how many the server carries.',
    ],
    evidence: [supports(claim)],
    missing: clean === undefined ? ['The same with a fresh connection for each request.'] : [],
  })
}

/** A good part of what is called latency is the making of a connection, and an arm without it is there to show it. */
export const connectRule: TableRule = ({ all, table }) => {
  const arms = armsOf(all).flatMap((arm) => {
    const whole = arm.latencyMs ?? arm.firstMs
    return arm.row.connectMs === undefined || whole === null || whole === 0 ? [] : [{ arm, connect: arm.row.connectMs, whole }]
  })
  const slow = arms.filter(({ connect, whole }) => connect > 0.25 * whole && connect > 50).toSorted((a, b) => b.connect - a.connect)
  const [worst] = slow
  if (worst === undefined) return null
  const quick = arms.find(({ arm, connect }) => arm.label !== worst.arm.label && arm.n === worst.arm.n && connect < 0.1 * worst.connect)
  const claim = `${span(worst.connect)} of ${span(worst.whole)} (${named(worst.arm)}) are the making of the connection${quick === undefined ? '' : `; ${named(quick.arm)} it takes ${span(quick.connect)}, and the whole ${span(quick.whole)}`}: this time is the client's, not the server's.`
  const isName = /localhost/.test(`${worst.arm.label} ${contextText(table.context)}`.toLowerCase())
  return finding('load_generator', quick === undefined ? 'suspected' : 'likely', {
    mechanism: isName ? 'the look-up of the name localhost' : 'a new connection for each request',
    sentence: `The client's connections give way first: ${claim}`,
    ceilingN: null,
    claims: [
      claim,
      isName
        ? 'Use the literal address 127.0.0.1: the name localhost is tried over IPv6 first, and the attempt has to time out.'
        : 'Reuse connections, or count connection time apart, before anything is booked to the server.',
    ],
    evidence: [supports(claim)],
    missing: quick === undefined ? ['The same over connections that are kept.'] : [],
  })
}

/** First token with the end of the answer, and nothing between tokens: something on the way holds the stream back. */
export const clumpRule: TableRule = ({ all }) => {
  const arms = armsOf(all)
  const isClump = ({ firstMs, latencyMs, row }: Arm) =>
    firstMs !== null && latencyMs !== null && row.tpotMs !== undefined && row.tpotMs < 1 && firstMs >= 0.95 * latencyMs
  const clumps = arms.filter(isClump)
  const [worst] = clumps
  if (worst === undefined || (clumps.length < arms.length && new Set(arms.map(({ label }) => label)).size < 2)) return null
  const direct = arms.find((arm) => arm.label !== worst.label && arm.n === worst.n && arm.firstMs !== null && !isClump(arm))
  const claim = `The first token comes with the end (${named(worst)}: ${span(worst.firstMs ?? 0)} of ${span(worst.latencyMs ?? 0)}), and then ${span(worst.row.tpotMs ?? 0)} a token, which no model writes: something on the way (a proxy, a gateway) buffers the stream${direct === undefined ? '' : `; ${named(direct)} it comes after ${span(direct.firstMs ?? 0)}`}.`
  return finding('invalid_measurement', direct === undefined ? 'suspected' : 'likely', {
    mechanism: 'the stream is buffered on its way',
    sentence: `First-token and per-token times measure a buffer, not the server: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    ceilingN: null,
    claims: [claim, 'Turn buffering off there, or measure at the server directly; only whole request times can be used as they are.'],
    evidence: [supports(claim)],
    missing: ['The same at the server’s own port, over n.'],
  })
}

/** Two arms at one n that differ in whether prompts repeat: the quicker measured a cache. */
export const repeatedPromptRule: TableRule = ({ all, table, said }) => {
  const arms = armsOf(all).filter(({ total }) => total !== null)
  const repeats = arms.find(({ label }) => /\bsame (seed|prompts?)|identical|repeated|fixed seed|warm (prefix|cache)/i.test(label))
  const fresh = arms.find(
    ({ label, n }) => label !== repeats?.label && n === repeats?.n && /\b(new|fresh|unique|random|different|distinct|cold)\b/i.test(label),
  )
  if (repeats?.total == null || fresh?.total == null || repeats.total < 1.15 * fresh.total) return null
  if (said.promptReuse === null && !/seed|prompt|prefix|cache/.test(`${repeats.label} ${contextText(table.context)}`.toLowerCase())) return null
  const first = repeats.firstMs !== null && fresh.firstMs !== null ? `, first token ${span(repeats.firstMs)} against ${span(fresh.firstMs)}` : ''
  const claim = `With ${named(repeats)} the total is ${percent(repeats.total / fresh.total - 1)} higher than with ${named(fresh)} (${decimal(repeats.total)} against ${decimal(fresh.total)}${first}): repeated prompts come out of the prefix cache.`
  return finding('invalid_measurement', 'likely', {
    mechanism: 'prefix cache: the prompts repeat',
    sentence: `The higher figures measure a cache: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    ceilingN: null,
    claims: [claim, 'Use a unique beginning for each prompt, fresh in each level, and show the share that came from a cache.'],
    evidence: [supports(claim)],
    missing: ['Levels over n with fresh prompts.'],
  })
}

/** Arms at one n and nothing else: say what differs, and that it is no ceiling. */
export const comparedArmsRule: TableRule = ({ all, series }) => {
  const arms = armsOf(all)
  if (all.length < 2 || series.points.length !== 1 || all.some((one) => one.series.points.length !== 1)) return null
  const figure = (arm: Arm) => arm.total ?? arm.latencyMs ?? arm.firstMs
  const known = arms.filter((arm) => figure(arm) !== null && arm.n === arms[0]?.n)
  const [first, second] = known
  if (first === undefined || second === undefined) return null
  const say = (arm: Arm) =>
    `${named(arm)} ${arm.total === null ? span(figure(arm) ?? 0) : all[0]?.series.unit === 'tok/s' ? tokens(arm.total) : `${decimal(arm.total)} requests/s`}`
  const claim = `At one n these are a comparison, not a ceiling: ${listed(known.slice(0, 6).map(say))} (${times((figure(second) ?? 1) / (figure(first) ?? 1))}).`
  return finding('inconclusive', 'cannot-tell', {
    mechanism: 'arms compared at one n',
    sentence: `What gives way can't be told from one n. ${claim}`,
    ceilingN: null,
    claims: [claim],
    evidence: [leavesOpen(claim)],
    missing: ['Levels: each arm at n = 1, 2, 4, 8 …'],
  })
}

/** field-reports R25: above 5 % it is said; three times that, levels in between cannot be compared. */
const DRIFT_SAID = 0.05
const DRIFT_VOID = 0.15

export const driftOf = ({ series }: TableFacts): number | null => {
  const change = series.drift === null ? 0 : Math.abs(series.drift.last / series.drift.first - 1)
  return change > DRIFT_SAID ? change : null
}

export function driftSentence({ drift }: TableFacts['series']): string | null {
  if (drift === null || Math.abs(drift.last / drift.first - 1) <= DRIFT_SAID) return null
  return `Drift: n=${drift.n} was measured first at ${decimal(drift.first)} and again at the end at ${decimal(drift.last)} (${drift.last < drift.first ? '-' : '+'}${percent(Math.abs(drift.last / drift.first - 1))}): heat, or something else on the machine, moved all levels between.`
}

export const driftRule: TableRule = (facts) => {
  const change = driftOf(facts)
  const claim = driftSentence(facts.series)
  if (change === null || change <= DRIFT_VOID || claim === null) return null
  return finding('invalid_measurement', 'suspected', {
    mechanism: 'the machine changed while it was measured',
    sentence: `These levels can't be compared. ${claim}`,
    ceilingN: null,
    claims: [claim, 'Measure the levels in random order with pauses, and the smallest again at the end.'],
    evidence: [supports(claim)],
    missing: ['The same levels in random order, after the machine has come to an even temperature.'],
  })
}

/** Slots as read from the server are not the same at all levels of one series. */
export const slotsChangedRule: TableRule = ({ series, curve }) => {
  if (curve === null || series.axis !== 'n') return null
  const read = curve.levels.filter(({ row }) => row.observedSlots !== undefined)
  // A count of busy slots grows with n up to the slots; a setting that is full at one n and larger at the next has changed.
  const changed = read.findIndex(({ n, row }, index) => {
    const before = read[index - 1]
    return (
      before !== undefined &&
      row.observedSlots !== before.row.observedSlots &&
      (before.n > (before.row.observedSlots ?? 0) || n < (row.observedSlots ?? 0))
    )
  })
  const [after, before] = [read[changed], read[changed - 1]]
  if (after === undefined || before === undefined) return null
  const full = before.n >= (before.row.observedSlots ?? 0) ? `; up to n=${before.n} there were ${before.row.observedSlots}` : ''
  const claim = `The slots jumped from ${before.row.observedSlots} to ${after.row.observedSlots} between n=${before.n} and n=${after.n} (a reload, or another setting): the levels before and after belong to two different servers${full}.`
  return finding('invalid_measurement', 'suspected', {
    mechanism: 'the slot count changed within the table',
    sentence: `These levels can't be compared. ${claim}`,
    ceilingN: null,
    claims: [claim, 'Read the slot count before and after each level, and void the levels across which it changes.'],
    evidence: [supports(claim)],
    missing: ['All levels with one slot count.'],
  })
}
