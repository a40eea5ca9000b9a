/** What can go wrong between the load driver and a model server, as sentences; those of OpenAI's wire stand in core/openai. */
import { type Problem, problem } from '../../core/result/problem.ts'

export function brokenConnection(url: string, code: string): Problem {
  return code === 'ECONNREFUSED'
    ? problem('server-unreachable', `Nothing listens at ${url}.`, 'A model server was expected there.', 'Start it, or give another address.')
    : problem(
        'server-connection-broken',
        `The connection to the model server at ${url} broke (${code}).`,
        'It was expected to stand to the end of the answer.',
        "Look at the server's log.",
      )
}

export function refused(url: string, model: string, status: number | null, body: string): Problem {
  const said = body
  if (status === 404)
    return problem('model-missing', `The model server at ${url} has no model "${model}" (${said}).`, '', `Get it with: ollama pull ${model}`)
  if (status === 503 || status === 429) {
    return problem(
      'server-busy',
      `The model server at ${url} turned a request away with status ${status} (${said}).`,
      '',
      'Its own queue limit was reached; lower N or raise that limit.',
    )
  }
  return problem(
    'server-refused',
    `The model server at ${url} answered with status ${status} (${said}).`,
    'Status 200 was expected.',
    "Look at the server's log.",
  )
}

export function serverFailed(url: string, text: string): Problem {
  return problem('server-failed', `The model server at ${url} broke an answer off: ${text}.`, '', "Look at the server's log.")
}

export function answerCut(url: string, malformed: string | null): Problem {
  const what = malformed === null ? 'without its end marker' : `with a line that is no answer: ${malformed.slice(0, 80)}`
  return problem(
    'answer-cut',
    `An answer of the model server at ${url} ended ${what}.`,
    'Its last line was expected to say "done".',
    "Look at the server's log, and at any proxy between.",
  )
}
