/** Problems on standard error: what happened, what was expected, what to do. */
import { type Problem, problemText } from '../../../core/result/problem.ts'
import type { CliIo } from './cli-io.ts'

export function printProblems(io: CliIo, problems: readonly Problem[]): void {
  for (const p of problems) io.err(`${printable(problemText(p))}\n`)
}

/** What servers and files say may hold control characters; none of theirs reaches the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
