/** model_server_queue, seen by what is lost in it: turns that ran into our deadline while they waited, and requests that a full queue turned away. */

import { FAILURE_RATIO, firstWith } from './call-failures.ts'
import type { CaseFile } from './case-file.ts'
import { type Finding, inconclusive, sentenceStart, serverName, supports, type VerdictRule } from './finding.ts'
import { count, duration, percent } from './phrases.ts'
import { judgeQueue } from './queue-rule.ts'

/** Of the turns that ran into the deadline, so many have to have waited for most of their time, for the queue to be what they were lost in. */
const WAITED_RATIO = 0.8

export const queueLossesRule: VerdictRule = {
  code: 'model_server_queue',
  needs: [
    'turns end at our own deadline after waiting for most of it while others are answered, or are refused with 503 under load',
    'with fewer sessions they are not',
  ],
  rivals: {
    provider_limit: 'there the refusal is a 429 or 529',
    inconclusive: 'a server that refuses one session alone, with its model loaded, is stuck',
  },
  refutedBy: ['the lost turns had begun to stream', 'one session alone is refused or lost as well'],
  judge: (file) => gaveUp(file) ?? refused(file),
}

/** R13: a deadline of the client's, while others were still being served. No failure of the server's. */
function gaveUp(file: CaseFile): Finding | null {
  const found = firstWith(file.failures, ['deadline'])
  if (found === null || found.isFirst) return null
  const { level } = found
  const served = file.levels.find(({ summary }) => summary.n === level.n)?.facts.overlap
  if (level.waitedToDeadline < WAITED_RATIO * level.counts.deadline || served === undefined) return null
  if (served.streaming.lasting >= served.asked.lasting) return null
  const deadline = duration(file.state.plan.request.turnDeadlineMs)
  const lost = `At ${level.n} sessions ${level.counts.deadline} of ${level.sessions} turns ran into the client's deadline of ${deadline} after waiting for most of their time, while others were answered: the client gave up, the server did not fail.`
  return {
    ...named(file, supports(lost)),
    secondary: 'runner_process',
    mechanism: `${mechanismOf(file)}; the client gives up after ${deadline}`,
    sentence: `Beyond ${count(file.slots.n ?? 1, 'session')} ${serverName(file)}'s queue gives way first. ${lost}`,
    wouldMove:
      'More slots as far as the engine has room, shorter answers, fewer sessions at once; a longer deadline only if people would wait so long.',
  }
}

function refused(file: CaseFile): Finding | null {
  const found = firstWith(file.failures, ['busy'])
  if (found === null) return null
  const { level, below } = found
  const evidence = file.failures
    .filter((one) => one.counts.busy > 0)
    .map((one) => supports(`At ${count(one.n, 'session')} ${one.counts.busy} of ${one.sessions} were turned away with 503.`))
  const [line] = evidence
  if (below === null || below.counts.busy >= FAILURE_RATIO * below.sessions) {
    return inconclusive(
      `${sentenceStart(serverName(file))} turns requests away with 503 at ${count(level.n, 'session')} already, so it is not their number that it can't take.`,
      'Wait until its model is loaded, then sweep again; if it is loaded and idle, restart the server: its loader may be stuck.',
      evidence,
    )
  }
  const share = percent(level.counts.busy / Math.max(1, level.sessions))
  return {
    ...named(file, line ?? supports('Requests were turned away with 503.')),
    mechanism: `${mechanismOf(file)}; a full queue refuses with 503`,
    sentence: `At ${level.n} sessions ${serverName(file)}'s queue is full: ${level.counts.busy} of ${level.sessions} requests (${share}) are turned away with 503, at ${count(below.n, 'session')} ${below.counts.busy}.`,
    wouldMove:
      'A longer queue (for Ollama OLLAMA_MAX_QUEUE) turns refusals into waiting; more slots or fewer sessions at once take the waiting away.',
  }
}

/** What the growth says as well, when it names the queue; else the losses alone. */
function named(file: CaseFile, line: ReturnType<typeof supports>): Finding {
  const byGrowth = judgeQueue(file)
  if (byGrowth?.primary === 'model_server_queue') return { ...byGrowth, evidence: [line, ...byGrowth.evidence] }
  return {
    primary: 'model_server_queue',
    confidence: file.slots.plateau ? 'likely' : 'suspected',
    sentence: '',
    wouldMove: null,
    wouldNotMove: 'A higher limit in the runner: it would only send more into the same queue.',
    toSettle: null,
    evidence: [line, ...(byGrowth?.evidence ?? [])],
  }
}

function mechanismOf({ slots }: CaseFile): string {
  if (slots.n === null || !slots.plateau) return 'a queue before the model'
  return `${slots.n === 1 ? 'one slot' : count(slots.n, 'slot')}, first come first served`
}
