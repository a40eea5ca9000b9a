/** Every refusal of the runner and its HTTP API, as sentences. What goes wrong with model servers stands in core/session/server-problems. */
import { type Problem, problem } from '../../../core/result/problem.ts'

export function noSession(sessionId: string): Problem {
  return problem(
    'session-missing',
    `There is no session ${sessionId}.`,
    'A session that was created and not deleted was expected.',
    'Create a session first.',
  )
}

export function sessionBusy(waiting: number): Problem {
  return problem('session-busy', `${waiting} turns of this session wait already.`, '', 'Wait for their answers, or cancel them.')
}

export function deadlinePassed(deadlineMs: number): Problem {
  return problem(
    'turn-deadline',
    `The turn was stopped after ${Math.round(deadlineMs / 100) / 10} s, its deadline.`,
    '',
    'See in its time line where the time went; shorten the answer, lower the number of sessions, or allow more time.',
  )
}

export function brokenTurn(turnId: string): Problem {
  return problem(
    'internal',
    `Plimsoll made a mistake in this turn (log entry ${turnId}).`,
    '',
    'Ask again; run with --verbose to see the details in the log.',
  )
}

export function brokenRequest(): Problem {
  return problem('internal', 'Plimsoll made a mistake with this request.', '', 'Send it again; run with --verbose to see the details in the log.')
}

export function unknownPath(path: string): Problem {
  return problem(
    'path-unknown',
    `There is nothing at ${path}.`,
    'A path of the runner API was expected.',
    'The paths are /v1/sessions, /v1/sessions/ID, its /turns, /events and /cancel, /health and /metrics.',
  )
}

export function wrongMethod(method: string, path: string, expected: string): Problem {
  return problem('method-wrong', `${method} is not answered at ${path}.`, `${expected} was expected.`, `Send the request with ${expected}.`)
}

export function turnWithoutText(): Problem {
  return problem('turn-invalid', 'The turn has no text.', '{"text": "…"} was expected, not empty.', 'Send the text of the message.')
}

export function eventIdInvalid(said: string): Problem {
  return problem(
    'event-id-invalid',
    `${JSON.stringify(said)} is no event id.`,
    'A number was expected in Last-Event-ID.',
    'Send the id of the last event that you have, or none.',
  )
}

export function portProblem(address: { host: string; port: number }, error: NodeJS.ErrnoException): Problem {
  if (error.code === 'EADDRINUSE') {
    return problem(
      'port-in-use',
      `Port ${address.port} on ${address.host} is in use by another process.`,
      'A free port was expected.',
      'Stop that process, or choose another port (0 takes any free one).',
    )
  }
  return problem(
    'listen-failed',
    `The runner can't listen on ${address.host}:${address.port} (${error.code ?? error.message}).`,
    '',
    'Choose another port or address.',
  )
}
