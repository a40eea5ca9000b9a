/**
 * The sentences for what goes wrong with a model server, in one table: the runner, the sweep and discovery all say the same.
 * `server` is always the address as a person may type it.
 */
import { type Problem, problem } from '../result/problem.ts'

/** How a request to a model server failed, as data. `begun`: some of the answer had come already. */
export type ServerFailure =
  | { readonly kind: 'refused' }
  | { readonly kind: 'reset'; readonly begun: boolean }
  | { readonly kind: 'lookup'; readonly host: string }
  | { readonly kind: 'network'; readonly code: string }
  | { readonly kind: 'web-page'; readonly status: number }
  /** A status that is not 2xx, with the server's own sentence where it gave one. */
  | { readonly kind: 'status'; readonly status: number; readonly sentence: string; readonly retryAfterS?: number }
  /** An `error` line after status 200. */
  | { readonly kind: 'error-line'; readonly sentence: string }
  | { readonly kind: 'malformed'; readonly text: string }
  /** The stream ended without its end marker. */
  | { readonly kind: 'no-end-marker' }
  | { readonly kind: 'silent'; readonly afterMs: number }

const OLLAMA_EXPECTED = "A server that speaks Ollama's API was expected there."

export function serverProblem(server: string, model: string, failure: ServerFailure): Problem {
  switch (failure.kind) {
    case 'refused':
      return problem(
        'server-unreachable',
        `Nothing answers at ${server}: the connection was refused.`,
        OLLAMA_EXPECTED,
        'Start it (for Ollama: `ollama serve`), or give the address at which it listens.',
      )
    case 'reset':
      return problem(
        'connection-reset',
        failure.begun
          ? `The model server at ${server} closed the connection in the middle of its answer.`
          : `${server} closed the connection before it answered.`,
        'An answer up to its end marker was expected.',
        "Look into the server's log: it may have been stopped, or may have run out of memory.",
      )
    case 'lookup':
      return problem(
        'server-unknown-host',
        `No machine named ${failure.host} is known here.`,
        OLLAMA_EXPECTED,
        'Check the spelling of the address, or use the number (127.0.0.1).',
      )
    case 'network':
      return networkProblem(server, failure.code)
    case 'web-page':
      return problem(
        'not-a-model-server',
        `${server} answers with a web page (status ${failure.status}) instead of JSON.`,
        OLLAMA_EXPECTED,
        'Give the address of the model server itself; Ollama listens on port 11434 by default.',
      )
    case 'status':
      return statusProblem(server, model, failure.status, failure.sentence)
    case 'error-line':
      return problem(
        'server-error',
        `The model server at ${server} broke off its answer: ${sentenceOf(failure.sentence)}`,
        '',
        "Look into the server's log for the cause.",
      )
    case 'malformed':
      return problem(
        'not-a-model-server',
        `${server} sent something that is not a line of Ollama's stream: ${JSON.stringify(failure.text)}.`,
        'One JSON object a line was expected.',
        "Check that the address is that of Ollama's native API, without a path such as /v1, and what stands between.",
      )
    case 'no-end-marker':
      return problem(
        'stream-cut',
        `The answer of ${server} ended without its end marker.`,
        'A last line with "done": true was expected.',
        'The answer is likely cut short. Look into the log of the server, and of a proxy if there is one.',
      )
    case 'silent':
      return problem(
        'server-silent',
        `${server} took the connection but did not answer within ${Math.round(failure.afterMs / 100) / 10} s.`,
        OLLAMA_EXPECTED,
        'Check that the address is right and that the server is not stuck; restart it if it is.',
      )
  }
}

/** @param code Node's: of the system, of the TLS library, or HPE_… of its HTTP parser */
function networkProblem(server: string, code: string): Problem {
  if (server.startsWith('https:') && (code === 'EPROTO' || code.startsWith('ERR_SSL'))) {
    return problem(
      'not-a-model-server',
      `${server} does not speak https (${code}).`,
      OLLAMA_EXPECTED,
      'If it speaks plain http, as Ollama does by default, give the address with http:// instead.',
    )
  }
  if (code.startsWith('HPE_')) {
    return problem(
      'not-a-model-server',
      `${server} answers with something that is not HTTP (${code}).`,
      OLLAMA_EXPECTED,
      'Another program listens at this port, or it speaks https: check the port and the scheme.',
    )
  }
  return problem('server-unreachable', `${server} can't be reached (${code}).`, OLLAMA_EXPECTED, 'Check the address and the network.')
}

function statusProblem(server: string, model: string, status: number, sentence: string): Problem {
  const said = sentence === '' ? '' : ` and says: ${sentenceOf(sentence)}`
  if (status === 404 && (/not found/i.test(sentence) || sentence === '') && model !== '') {
    return problem(
      'model-missing',
      sentence === ''
        ? `${server} answers 404 for the model ${model}.`
        : `${server} has no model ${model}${said === '' ? '.' : `: ${sentenceOf(sentence)}`}`,
      'A model that the server lists was expected.',
      `Fetch it (\`ollama pull ${model}\`) or choose one that is there (\`ollama list\`).`,
    )
  }
  // Ollama says "invalid model name" (400) or "invalid model path" (500), by where it looks.
  if (/^invalid model (name|path)/i.test(sentence)) {
    return problem(
      'model-missing',
      `${server} can't have a model named ${JSON.stringify(model)}: ${sentenceOf(sentence)}`,
      'A model that the server lists was expected.',
      'Choose one that is there (`ollama list`).',
    )
  }
  if (status === 503) {
    return problem(
      'server-busy',
      `${server} turns requests away (503)${said || '.'}`,
      '',
      'Wait until its model is loaded and send fewer at once; if a model is loaded and idle, restart the server: its loader may be stuck.',
    )
  }
  if (status === 429)
    return problem(
      'server-busy',
      `${server} turns requests away (429)${said || '.'}`,
      '',
      'Something before the model server limits requests: raise that limit.',
    )
  if (status === 401 || status === 403) {
    return problem(
      'server-refused',
      `${server} refuses access (${status})${said || '.'}`,
      OLLAMA_EXPECTED,
      'Check the address, and what the server asks for.',
    )
  }
  if (status >= 300 && status < 400) {
    return problem(
      'not-a-model-server',
      `${server} sends requests on to another address (${status})${said || '.'}`,
      OLLAMA_EXPECTED,
      'Give the address of the model server itself: redirects are not followed.',
    )
  }
  return problem('server-error', `${server} answers ${status}${said || '.'}`, '', "Look into the server's log for the cause.")
}

/** The server's own words, ended like a sentence. */
export function sentenceOf(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
