/** Has a server load a model with given options, without an answer (M4). A model that is loaded with these options already stays as it is. */
import { z } from 'zod'
import type { Problem } from '../../../core/result/problem.ts'
import { ok, type Result } from '../../../core/result/result.ts'
import type { HttpClient } from '../../platform/http-client.ts'
import { askServer } from './ask-server.ts'

export interface WarmOptions {
  /** As the calls to come will send them: other ones would load the model anew. */
  readonly options?: Readonly<Record<string, number | string | boolean>>
  readonly deadlineMs?: number
}

/** A large model from a slow disk. */
const LOAD_DEADLINE_MS = 300_000

export async function warmModel(http: HttpClient, url: string, model: string, warm: WarmOptions = {}): Promise<Result<void, Problem>> {
  const answer = await askServer(http, url, {
    method: 'POST',
    path: '/api/generate',
    body: { model, prompt: '', stream: false, ...(warm.options === undefined ? {} : { options: warm.options }) },
    schema: z.looseObject({ done: z.literal(true) }),
    model,
    deadlineMs: warm.deadlineMs ?? LOAD_DEADLINE_MS,
  })
  return answer.ok ? ok(undefined) : answer
}
