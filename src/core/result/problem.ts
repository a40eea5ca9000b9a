/**
 * What went wrong, as a person reads it: what happened, what was expected, what to do.
 * Every failure that can reach a person, on the command line, in the page or in a report, is one of these.
 */
import { z } from 'zod'

export const problemSchema = z.object({
  /** Stable machine name in kebab-case, for tests and scripts: `server-unreachable`. */
  code: z.string(),
  /** One sentence: what happened. Names the thing (address, file, model). */
  happened: z.string(),
  /** One sentence: what was expected instead. May be empty when `happened` already says it. */
  expected: z.string(),
  /** One sentence: what the person can do now. It marks no unfinished work; the name stands in stored sweeps and in the documented JSON, so it stays. */
  todo: z.string(), // what the person can do
})
export type Problem = z.infer<typeof problemSchema>

export function problem(code: string, happened: string, expected: string, todo: string): Problem {
  return { code, happened, expected, todo }
}

/** The three sentences as one line of text; empty ones are left out. */
export function problemText(p: Problem): string {
  return [p.happened, p.expected, p.todo].filter((part) => part !== '').join(' ')
}
