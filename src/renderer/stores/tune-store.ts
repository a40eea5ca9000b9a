/** The trial of slot counts, as main tells it: which servers were tried, what each came to, and what is recommended. */

import type { Target } from '../../core/sweep/target.ts'
import { IDLE_TUNE, type TuneRequestInput, type TuneState } from '../../core/sweep/tune.ts'
import type { NoticeStore } from './notice-store.ts'
import type { PageConnection } from './page-connection.ts'
import { createStore, type ReadableStore } from './store.ts'

export type TuneStore = ReadableStore<TuneState> & {
  start(target: TuneRequestInput['target']): Promise<void>
  cancel(): Promise<void>
}

/** What can be tuned of a target; a sentence where it can't. */
export function tuneTargetOf(target: Target): TuneRequestInput['target'] | string {
  if (target.kind === 'built-in') return { kind: 'built-in', engine: target.engine, model: target.model, settings: target.settings }
  if (target.api === 'openai') return 'only servers that Plimsoll can start itself can be tried with other slot counts: Ollama and the built-in ones'
  return { kind: 'ollama', model: target.model, program: null, ownUrl: target.url }
}

export function createTuneStore(connection: PageConnection, notices: NoticeStore): TuneStore {
  const store = createStore<TuneState>(IDLE_TUNE)
  connection.live((client) => client.tune.state({}, { next: (state) => store.set(state) }))
  return {
    get: store.get,
    subscribe: store.subscribe,
    async start(target) {
      const answer = await connection.client.tune.start({ target })
      if (!answer.ok) notices.fail(answer.error)
    },
    async cancel() {
      const answer = await connection.client.tune.cancel({})
      if (!answer.ok) notices.fail(answer.error)
    },
  }
}
