/** Tuning: start, cancel, watch. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import { ok } from '../../core/result/result.ts'
import type { App } from '../compose.ts'

export function createTuneApi({ tuner }: App): Api<PlimsollContract>['tune'] {
  return {
    async start(request) {
      const started = await tuner.start(request)
      return started.ok ? ok({}) : started
    },
    async cancel() {
      await tuner.cancel()
      return ok({})
    },
    state(_input, out) {
      void out.next(tuner.state())
      return tuner.onChange((state) => void out.next(state))
    },
  }
}
