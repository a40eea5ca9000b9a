/** One question to a model server, its answer checked, its failures as sentences. */
import type { z } from 'zod'
import type { Problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { serverProblem } from '../../../core/session/server-problems.ts'
import { type HttpClient, originText, parseOrigin } from '../../platform/http-client.ts'
import { getJson } from '../../platform/http-json.ts'

export interface ServerQuestion<T> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly schema: z.ZodType<T>
  /** Named in the sentences; empty when the question is not about one. */
  readonly model?: string
  readonly deadlineMs?: number
  /** For servers that want one; goes into a header and nowhere else. */
  readonly key?: string | undefined
}

/** These documents are small and not queued behind inference: a server that takes longer is stuck or is none. */
const DEADLINE_MS = 5_000
const SHOWN_CHARS = 120

export async function askServer<T>(http: HttpClient, url: string, question: ServerQuestion<T>): Promise<Result<T, Problem>> {
  const origin = parseOrigin(url)
  if (!origin.ok) return origin
  const server = originText(origin.value)
  const { method, path, body, model = '', deadlineMs = DEADLINE_MS, key } = question
  const headers = key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }
  const answer = await getJson(http, { origin: origin.value, method, path, body, deadlineMs, ...headers })
  if (!answer.ok) return err(serverProblem(server, model, answer.error))
  const read = question.schema.safeParse(answer.value)
  if (read.success) return ok(read.data)
  return err(serverProblem(server, model, { kind: 'malformed', text: JSON.stringify(answer.value).slice(0, SHOWN_CHARS) }))
}
