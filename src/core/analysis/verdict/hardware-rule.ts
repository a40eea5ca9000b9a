/** hardware: memory that requests share and run out of, or an engine that slows down on a machine that is seen to be full. */

import { FAILURE_RATIO, firstWith } from './call-failures.ts'
import type { CaseFile } from './case-file.ts'
import { judgeEngine } from './engine-rule.ts'
import { type Finding, inconclusive, sentenceStart, serverName, supports, type VerdictRule, weigh } from './finding.ts'
import { fullMachine } from './machine.ts'
import { commonest, count, percent } from './phrases.ts'

export const hardwareRule: VerdictRule = {
  code: 'hardware',
  needs: ['an engine that slows down (as model_server_engine)', 'CPU, GPU or memory seen to be full under this load'],
  rivals: {
    model_server_engine: 'there the machine has room left',
    model_server_queue: 'there the pace of one answer holds',
    none_reached: 'GPU use alone says nothing: it reads 90 % on machines that still scale',
  },
  refutedBy: ['the same load on a machine with room slows down as much'],
  judge: (file) => {
    const machine = fullMachine(file)
    return machine === null ? null : judgeEngine(file, machine)
  },
}

export const memoryRule: VerdictRule = {
  code: 'hardware',
  needs: ['requests fail for want of memory or context, with one session none does'],
  rivals: {
    model_server_engine: 'there requests slow down and come through',
    provider_limit: 'there the refusal names a rate or a load',
  },
  refutedBy: ['one session alone fails as well: then the prompt is longer than the context'],
  judge: judgeMemory,
}

function judgeMemory(file: CaseFile): Finding | null {
  const found = firstWith(file.failures, ['memory'])
  if (found === null) return null
  const { level, count: failed, below } = found
  const said = commonest(
    file.all.flatMap(({ facts }) => facts.turns.flatMap(({ row }) => row.timeline?.calls.flatMap((call) => call.problem?.happened ?? []) ?? [])),
  )
  const evidence = file.failures
    .filter((one) => one.counts.memory > 0)
    .map((one) => supports(`At ${one.n} sessions ${one.counts.memory} of ${one.sessions} failed for want of memory or context.`))
  if (said !== null) evidence.push(supports(`The server says, most often: ${said}`))
  if (level.n === 1) {
    return inconclusive(
      `${sentenceStart(serverName(file))} runs out of context or memory with one session alone, so the number of sessions is not the cause.`,
      'Sweep shorter prompts, or give the model a longer context.',
      evidence,
    )
  }
  const isClean = below !== null && below.counts.memory < FAILURE_RATIO * Math.max(1, below.sessions) && below.counts.memory <= 1
  if (below !== null) evidence.push(weigh(isClean, `At ${count(below.n, 'session')} ${below.counts.memory} of ${below.sessions} did.`))
  const isPool = /context|kv/i.test(said ?? '')
  return {
    primary: 'hardware',
    mechanism: isPool ? 'KV memory pool shared by slots' : 'out of memory',
    confidence: isClean ? 'likely' : 'suspected',
    sentence: `At ${level.n} sessions the memory of ${serverName(file)} gives way first: ${failed} of ${level.sessions} turns (${percent(failed / Math.max(1, level.sessions))}) fail for want of ${isPool ? 'context, which the slots share' : 'memory'}, though each fits alone.`,
    wouldMove: isPool
      ? 'A larger context for all slots together, shorter prompts, or fewer sessions at once.'
      : 'More memory, a smaller model or context, or fewer sessions at once.',
    wouldNotMove: 'Longer time-outs: these requests failed, they did not wait.',
    toSettle: null,
    evidence,
  }
}
