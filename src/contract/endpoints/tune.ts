/** Tuning: which number of slots to set on a server, tried on private ones. One at a time; its sweeps are stored like any other. */
import { z } from 'zod'
import { tuneRequestSchema, tuneStateSchema } from '../../core/sweep/tune.ts'
import { call, stream } from '../wire/define.ts'

export const tune = {
  /** Answers when it is under way, or with what is missing. */
  start: call({ input: tuneRequestSchema, output: z.object({}) }),
  /** Answers when nothing of it runs any more. */
  cancel: call({ input: z.object({}), output: z.object({}) }),
  state: stream({ input: z.object({}), output: tuneStateSchema, delivery: 'latest' }),
}
