/** Small JSON questions to model servers: one request, one document, a deadline. Failures come back as what they are, for the sentence. */
import { err, ok, type Result } from '../../core/result/result.ts'
import type { ServerFailure } from '../../core/session/server-problems.ts'
import type { HttpClient, HttpOrigin } from './http-client.ts'

export interface JsonQuestion {
  readonly origin: HttpOrigin
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly deadlineMs: number
}

/** No document that is asked for here is larger; model lists and templates stay far below. */
const LIMIT_BYTES = 16 * 1024 * 1024
const SENTENCE_CHARS = 500

export async function getJson(http: HttpClient, question: JsonQuestion): Promise<Result<unknown, ServerFailure>> {
  const body = await getBody(http, question)
  return body.ok ? readAnswer(body.value.status, body.value.page, body.value.text) : body
}

/** The text of a good answer, whatever it is: metrics, a greeting. */
export async function getText(http: HttpClient, question: JsonQuestion): Promise<Result<string, ServerFailure>> {
  const body = await getBody(http, question)
  if (!body.ok) return body
  const { status, page, text } = body.value
  if (page) return err({ kind: 'web-page', status })
  return status >= 200 && status < 300 ? ok(text) : err({ kind: 'status', status, sentence: sentenceIn(text) })
}

interface Body {
  readonly status: number
  readonly page: boolean
  readonly text: string
}

function getBody(http: HttpClient, question: JsonQuestion): Promise<Result<Body, ServerFailure>> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let status = 0
    let page = false
    let sizeBytes = 0
    const settle = (result: Result<Body, ServerFailure>) => {
      clearTimeout(timer)
      resolve(result)
    }
    const body = question.body === undefined ? {} : { body: JSON.stringify(question.body), headers: { 'Content-Type': 'application/json' } }
    const exchange = http.send(
      { origin: question.origin, method: question.method, path: question.path, ...body, headers: { ...body.headers, ...question.headers } },
      {
        onHead(code, contentType) {
          status = code
          page = contentType.includes('text/html')
        },
        onData(bytes) {
          sizeBytes += bytes.length
          if (sizeBytes <= LIMIT_BYTES) parts.push(bytes)
        },
        onEnd: () => settle(ok({ status, page, text: Buffer.concat(parts).toString() })),
        onFailure: (failure) => settle(err(failure)),
      },
    )
    const timer = setTimeout(() => {
      exchange.abort()
      settle(err({ kind: 'silent', afterMs: question.deadlineMs }))
    }, question.deadlineMs)
  })
}

function readAnswer(status: number, page: boolean, text: string): Result<unknown, ServerFailure> {
  const good = status >= 200 && status < 300
  if (page || /^\s*<(!doctype|html)/i.test(text)) return err({ kind: 'web-page', status })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return err(good ? { kind: 'malformed', text: text.slice(0, 120) } : { kind: 'status', status, sentence: text.trim().slice(0, SENTENCE_CHARS) })
  }
  if (good) return ok(value)
  const sentence = typeof value === 'object' && value !== null && 'error' in value ? sentenceIn(text) : ''
  return err({ kind: 'status', status, sentence })
}

/** The server's own words: Ollama's `error`, OpenAI's `error.message`, or the body's beginning. */
export function sentenceIn(body: string): string {
  try {
    const value: unknown = JSON.parse(body)
    const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined
    if (typeof error === 'string') return error.slice(0, SENTENCE_CHARS)
    if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message).slice(0, SENTENCE_CHARS)
  } catch {
    // Not JSON: its text is what there is.
  }
  return body.trim().slice(0, SENTENCE_CHARS)
}
