/** What would move a table's ceiling, what would not, and what would settle it: one sentence each, true for that verdict and its mechanism. */
import type { Verdict, VerdictCode } from '../analysis.ts'
import type { TableFinding } from './table-finding.ts'

type Outlook = Pick<Verdict, 'wouldMove' | 'wouldNotMove' | 'toSettle'>

const SENTENCES: Readonly<Record<VerdictCode, readonly [string | null, string | null]>> = {
  model_server_queue: [
    'More slots in the model server (or a second one), or fewer sessions at a time.',
    'More sessions, and anything in the runner: what is added waits in the server.',
  ],
  model_server_engine: ['Another setting or version of the engine, or staying at the level before the fall.', 'More slots or more sessions.'],
  model_server_reload: ['The same model and the same options for every request.', 'More slots or a faster GPU: each change still costs a load.'],
  hardware: ['Faster or more hardware, a smaller model, or less work per request.', 'More slots or more sessions: they share the same machine.'],
  runner_process: [
    'More room in the calling process: its connections, its event loop, its own waiting.',
    'A faster model server, or more slots there.',
  ],
  job_scheduler: ['Jobs that do not hold each other up: no shared lock, the longest begun first.', 'More places for jobs, or a faster model server.'],
  load_generator: ['Another client, or several client processes, measured again.', 'Anything at the server: it was not at its limit here.'],
  provider_limit: ['A higher limit at the provider, or requests spread over time.', 'A faster client, or more sessions at once.'],
  none_reached: [null, null],
  inconclusive: [null, null],
  invalid_measurement: [null, null],
}

const MECHANISMS: readonly (readonly [RegExp, string, string])[] = [
  [/prefill/, 'Shorter prompts, or a prefix that is reused.', 'More slots: prompts are read by the same machine.'],
  [
    /^memory/,
    'More memory, shorter contexts, a smaller model, or fewer sessions at a time.',
    'More slots or more sessions: each needs memory of its own.',
  ],
  [/CPU core/, 'More or faster CPU cores, or the work spread over more processes.', 'A larger GPU, or more sessions.'],
  [
    /forces|not take effect|whatever was configured/,
    'A model that the server serves in parallel, a setting that reaches the server, or a second server.',
    'The same setting raised further.',
  ],
  [/admission limit.*429|pending queue/, 'A higher admission limit, or fewer sessions at a time.', 'Retrying at once: it meets the same limit.'],
  [/usage quota/, 'Waiting until the quota resets, or a larger one.', 'Fewer sessions at a time.'],
  [/529/, 'Ramped starts and retries with growing pauses.', 'Anything at your own end beyond that: the provider is overloaded.'],
]

export function outlookOf(found: TableFinding): Outlook {
  const own = MECHANISMS.find(([pattern]) => pattern.test(found.mechanism))
  const [move, not] = SENTENCES[found.primary]
  const isOpen = move === null
  return {
    wouldMove: isOpen ? null : (own?.[1] ?? move),
    wouldNotMove: isOpen ? null : (own?.[2] ?? not),
    toSettle:
      found.confidence === 'confirmed'
        ? null
        : (found.missing[0] ?? (found.confidence === 'likely' ? null : 'The same levels measured again, with the cause named here taken away.')),
  }
}
