/** The status strip's numbers. While somebody listens the sampler runs at 4 Hz, else at 1 Hz. */
import { z } from 'zod'
import { sampleSchema } from '../../core/metric/sample.ts'
import { call, stream } from '../wire/define.ts'

export const metrics = {
  samples: stream({ input: z.object({}), output: sampleSchema, delivery: 'latest' }),
  /** The last `seconds` of samples, oldest first, at most 300. */
  history: call({ input: z.object({ seconds: z.number().positive().max(3600) }), output: z.array(sampleSchema) }),
}
