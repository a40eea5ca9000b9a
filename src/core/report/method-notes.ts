/** How a sweep was measured and what each figure means, in plain words; follows DESIGN sections 5 to 7 and docs/measurement.md. */
import { faultNotes } from '../sweep/faults.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { formatRatio, formatSettingMs } from './format-number.ts'
import { count } from './words.ts'

export type Note = { readonly term: string; readonly text: string }

/** What was done in this sweep. */
export function methodNotes(state: SweepState): Note[] {
  const { request, workload, seed } = state.plan
  const options = Object.entries(workload.options).map(([name, value]) => `${name} ${value}`)
  const mix = workload.variants.map((variant) =>
    [variant.model, ...Object.entries(variant.options).map(([name, value]) => `${name} ${value}`)].join(' '),
  )
  return [
    { term: 'Load', text: `${loadText(state)} Times count from the planned moment, not from when the driver got round to it.` },
    {
      term: 'Order',
      text: `Levels shuffled within each repeat (seed ${seed}), ${count(request.repeats, 'repeat')}. A warm-up is left out. After each cell the server is idle before the next begins. N = 1 is measured again at the end.`,
    },
    {
      term: 'Prompts',
      text: `About ${workload.promptTokens} tokens; each begins differently, so no prefix cache helps. Answers capped at ${workload.outputTokens} tokens${options.length > 0 ? `; ${options.join(', ')}` : ''}.${mix.length > 0 ? ` Sessions take turns among: ${mix.join('; ')}.` : ''}`,
    },
    {
      term: 'Background',
      text: workload.memoryNote
        ? 'After the answer the runner asks the same model for a title and a memory note; wall counts to their end.'
        : 'No memory note after the answer; wall counts to the end of what else follows.',
    },
    {
      term: 'Deadlines',
      text: `A turn that takes longer than ${formatSettingMs(request.turnDeadlineMs)} fails. A cell in which the model was loaded again once is void and run again.`,
    },
    {
      term: 'Percentiles',
      text: 'Exact, from single sessions; failed ones count as endless. p50 needs 6 samples, p95 59, p99 299; with fewer there is no value. Intervals by block bootstrap over waves, seeded.',
    },
    ...faultNotes(request.faults).map((text) => ({ term: 'Fault switch', text })),
  ]
}

function loadText({ plan }: SweepState): string {
  const load = plan.request.load ?? { kind: 'burst' as const }
  switch (load.kind) {
    case 'burst':
      return 'Bursts of N sessions, started by a process of its own. A burst’s sessions are planned 0.1 ms apart, at most 50 ms in all, over connections that are open before.'
    case 'sustained':
      return `N sessions stay in flight for ${formatSettingMs(load.spanMs)}, each starting its next turn when the last has ended, by a process of its own; only the span with at least 90 % of them in flight counts.`
    case 'open':
      return `Sessions arrive at random moments that were planned before (Poisson, ${load.ratesPerSec.join(', ')} a second, for ${formatSettingMs(load.spanMs)}), whether or not the earlier ones have ended, by a process of its own.`
  }
}

/** What the figures mean. */
export function definitions(state: SweepState): Note[] {
  const { slo } = state.plan
  return [
    { term: 'N', text: 'a level: sessions in flight at the same moment. A cell is one level in one repeat of one leg; a wave is one burst of it.' },
    {
      term: 'ttfa',
      text: 'time to first activity: from submit to the first thought, word, tool call or tool output that a person can see. Acknowledgements don’t count.',
    },
    { term: 'first model request', text: 'from submit to the runner’s first request leaving for the model server.' },
    { term: 'ttft', text: 'per model call: from its request to the first token of any kind.' },
    { term: 'done, wall', text: 'from submit to the whole answer; to the end of the work behind it.' },
    {
      term: 'held, at least',
      text: `share of sessions that completed with ttfa within ${formatSettingMs(slo.ttfaMs)}; its one-sided 95 % lower bound.`,
    },
    { term: 'tokens/s', text: 'all output tokens over the time in which the level was under load.' },
    {
      term: 'at once',
      text: 'how many answers streamed at the same moment, between first and last token. Its plateau over N is the effective slots, whatever the server’s settings say.',
    },
    {
      term: 'SLO ceiling, the load line',
      text: `the largest N at which at least ${formatRatio(slo.targetRatio)} of the sessions hold, lower bound included.`,
    },
    { term: 'throughput ceiling', text: 'the smallest N with 90 % of the best total rate. If only the largest N has it, it was not reached.' },
    { term: 'error ceiling', text: `the largest N whose error rate, upper bound included, stays within ${formatRatio(slo.maxErrorRatio)}.` },
    {
      term: 'curves',
      text: 'hinge, USL and linear, drawn through the total rates. Each is fitted without one level and has to predict it; the one with the least error is chosen. A curve alone decides no verdict.',
    },
    {
      term: 'fairness',
      text: 'of the sessions of one wave, median over waves: the slowest wall over the fastest; Jain’s index, 1 when all are alike, 1/N when one gets all.',
    },
    {
      term: 'confidence',
      text: 'can’t tell: no part is clear of the next, or evidence disagrees. Suspected: the figures point there. Likely: independent evidence agrees. Confirmed: something was changed and the ceiling moved as predicted.',
    },
  ]
}
