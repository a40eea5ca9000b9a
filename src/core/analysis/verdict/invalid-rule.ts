/** invalid_measurement: something between server and client, or a change under the sweep, makes the figures say what did not happen. Asked before any cause. */
import type { CaseFile } from './case-file.ts'
import { bufferedStream } from './doubts/buffered-stream.ts'
import { cachedPrompts } from './doubts/cached-prompts.ts'
import { changedServer } from './doubts/changed-server.ts'
import { coldStart } from './doubts/cold-start.ts'
import type { Doubt } from './doubts/doubt.ts'
import { impossibleStamps } from './doubts/impossible-stamps.ts'
import { repeatedPrompts } from './doubts/repeated-prompts.ts'
import { type Finding, supports, type VerdictRule } from './finding.ts'

export const invalidRule: VerdictRule = {
  code: 'invalid_measurement',
  needs: ['a sign, in rows that count, that tokens were held back, prompts came from a cache, a clock jumped, or the server changed'],
  rivals: {
    runner_process: 'a blocked loop holds tokens back as well: then the lowest level, where it is free, shows nothing',
    model_server_reload: 'loads that recur are a finding, one cold start is an accident',
  },
  refutedBy: ['a sweep of the server’s own port, with new prompts, on a warm model shows the same'],
  judge: judgeValidity,
}

const DOUBTS: readonly ((file: CaseFile) => Doubt | null)[] = [
  impossibleStamps,
  changedServer,
  bufferedStream,
  repeatedPrompts,
  cachedPrompts,
  coldStart,
]

function judgeValidity(file: CaseFile): Finding | null {
  const found = DOUBTS.flatMap((doubt) => doubt(file) ?? [])
  const [first] = found
  if (first === undefined) return null
  return {
    primary: 'invalid_measurement',
    mechanism: first.mechanism,
    confidence: 'likely',
    sentence: first.sentence,
    wouldMove: null,
    wouldNotMove: null,
    toSettle: first.toSettle,
    evidence: found.flatMap(({ evidence }) => evidence.map(supports)),
  }
}
