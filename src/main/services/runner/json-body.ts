/** Reads a small JSON body, bounded. */
import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'

/** A message of 200,000 characters fits in any alphabet. */
const LIMIT_BYTES = 1_048_576

export type BodyRefusal = { readonly status: 400 | 413; readonly problem: Problem }

/** Calls back once, unless the connection breaks first. */
export function readJsonBody(request: IncomingMessage, then: (body: Result<unknown, BodyRefusal>) => void): void {
  const parts: Buffer[] = []
  let sizeBytes = 0
  request.on('data', (bytes: Buffer) => {
    sizeBytes += bytes.length
    if (sizeBytes <= LIMIT_BYTES) parts.push(bytes)
  })
  request.on('end', () => {
    then(sizeBytes > LIMIT_BYTES ? err({ status: 413, problem: tooLarge(sizeBytes) }) : parse(Buffer.concat(parts).toString()))
  })
}

function parse(text: string): Result<unknown, BodyRefusal> {
  try {
    return ok(JSON.parse(text))
  } catch {
    return err({ status: 400, problem: notJson() })
  }
}

function tooLarge(sizeBytes: number): Problem {
  return problem(
    'body-too-large',
    `The body is ${sizeBytes} bytes long.`,
    `At most ${LIMIT_BYTES} bytes were expected.`,
    'Send less, for instance the path of a file instead of its text.',
  )
}

function notJson(): Problem {
  return problem(
    'body-invalid',
    'The body of the request is not JSON.',
    'A JSON object was expected.',
    'Send JSON, with the header Content-Type: application/json.',
  )
}
