/** Problems on standard error: what happened, what was expected, what to do. */
import { printable } from '../../../core/report/printable.ts'
import { type Problem, problemText } from '../../../core/result/problem.ts'
import type { CliIo } from './cli-io.ts'

export function printProblems(io: CliIo, problems: readonly Problem[]): void {
  for (const p of problems) io.err(`${printable(problemText(p))}\n`)
}
