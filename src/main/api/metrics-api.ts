/** The sampler's numbers, live and of the last minutes. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import { ok } from '../../core/result/result.ts'
import type { App } from '../compose.ts'

export function createMetricsApi({ sampler }: App): Api<PlimsollContract>['metrics'] {
  return {
    samples: (_input, out) => sampler.watch((sample) => void out.next(sample)),
    history: ({ seconds }) => ok(sampler.history(seconds)),
  }
}
