/** The sentences for what goes wrong with a server that is spoken to in OpenAI's wire. What is the same on every wire comes from core/session. */
import { type Problem, problem } from '../result/problem.ts'
import { type ServerFailure, sentenceOf, serverProblem } from '../session/server-problems.ts'

const EXPECTED = "A server that speaks OpenAI's chat completions was expected there."
const LOOK = "Look into the server's log for the cause."

export function openAiProblem(server: string, model: string, failure: ServerFailure): Problem {
  switch (failure.kind) {
    case 'status':
      return statusProblem(server, model, failure)
    case 'malformed':
      return problem(
        'not-a-model-server',
        `${server} sent something that is not an event of OpenAI's stream: ${JSON.stringify(failure.text)}.`,
        'Server-sent events, each with one JSON object, were expected.',
        'Check the address (mostly it ends in /v1, which may be left out here), and what stands between.',
      )
    case 'no-end-marker':
      return problem(
        'stream-cut',
        `The answer of ${server} ended without its end marker.`,
        'A finish_reason and the line [DONE] were expected.',
        'The answer is likely cut short. Look into the log of the server, and of a proxy if there is one.',
      )
    case 'refused':
      return {
        ...serverProblem(server, model, failure),
        expected: EXPECTED,
        todo: 'Start it, or give the address at which it listens.',
      }
    case 'web-page':
      return { ...serverProblem(server, model, failure), expected: EXPECTED, todo: 'Give the address of the model server itself.' }
    case 'lookup':
    case 'network':
    case 'silent':
      return { ...serverProblem(server, model, failure), expected: EXPECTED }
    case 'reset':
    case 'error-line':
      return serverProblem(server, model, failure)
  }
}

function statusProblem(server: string, model: string, failure: ServerFailure & { kind: 'status' }): Problem {
  const { status, sentence, retryAfterS } = failure
  const said = sentence.trim() === '' ? '.' : ` and says: ${sentenceOf(sentence)}`
  if (status === 401 || status === 403)
    return problem(
      'key-refused',
      `${server} refuses access (${status})${said}`,
      'A key that is valid there was expected.',
      'Name the variable that holds the key with --key-env NAME, and check that the key may use this model.',
    )
  if (status === 404 && /model/i.test(sentence))
    return problem(
      'model-missing',
      `${server} has no model ${model}${said}`,
      'A model that the server lists was expected.',
      'Choose one of those at /v1/models.',
    )
  if (status === 404)
    return problem(
      'not-a-model-server',
      `${server} has nothing at /v1/chat/completions (404)${said}`,
      EXPECTED,
      "Check the address; a server that speaks Ollama's own API is swept with --api ollama.",
    )
  if (status === 429) return rateLimit(server, said, sentence, retryAfterS)
  if (status === 529 || /overloaded/i.test(sentence))
    return problem(
      'provider-overloaded',
      `${server} is overloaded (${status})${said}`,
      '',
      'This is the load of all its clients, not your own rate: try again later, or raise the number of sessions more slowly.',
    )
  if (status === 503)
    return problem('server-busy', `${server} turns requests away (503)${said}`, '', 'Wait until its model is loaded, and send fewer at once.')
  if (status >= 300 && status < 400)
    return problem('not-a-model-server', `${server} sends requests on to another address (${status})${said}`, EXPECTED, 'Redirects are not followed.')
  return problem('server-error', `${server} answers ${status}${said}`, '', status < 500 ? 'Check the model and the options that were sent.' : LOOK)
}

/** A usage limit lasts until it resets; a rate limit passes within seconds or minutes (research: three kinds of refusal). */
function rateLimit(server: string, said: string, sentence: string, retryAfterS: number | undefined): Problem {
  if (/quota|billing|credit|usage limit|session limit|resets at/i.test(sentence))
    return problem(
      'provider-quota',
      `${server} turns requests away (429)${said}`,
      '',
      'The quota of this key is used up: nothing helps until it resets.',
    )
  const wait = retryAfterS === undefined ? '' : ` It asks to wait ${retryAfterS} s.`
  return problem(
    'provider-rate-limit',
    `${server} turns requests away (429)${said}${wait}`,
    '',
    'The limit of requests or tokens for this key is reached: send fewer sessions at once, or have the limit raised.',
  )
}
