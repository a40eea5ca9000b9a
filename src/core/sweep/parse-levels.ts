/** Levels as a person types them: "1, 2, 4, 8". */
import { type Problem, problem } from '../result/problem.ts'
import { err, ok, type Result } from '../result/result.ts'

const MAX_LEVEL = 4096
const MAX_LEVELS = 64

/** @returns the levels ascending, each once; or one problem that names every fault found */
export function parseLevels(text: string): Result<number[], Problem> {
  const parts = text
    .split(/[\s,;]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const faults = parts.flatMap(faultOf)
  const levels = [...new Set(parts.map(Number))].sort((a, b) => a - b)
  if (parts.length === 0) faults.push('no level is given')
  else if (faults.length === 0 && levels.length > MAX_LEVELS) faults.push(`${levels.length} levels are more than ${MAX_LEVELS}`)
  if (faults.length === 0) return ok(levels)
  return err(
    problem(
      'levels-invalid',
      `The levels "${text}" can't be run: ${faults.join('; ')}.`,
      `Expected whole numbers of sessions from 1 to ${MAX_LEVEL}, at most ${MAX_LEVELS} of them, separated by commas.`,
      'Give them like this: 1,2,4,8',
    ),
  )
}

function faultOf(part: string): string[] {
  if (!/^[+-]?\d+(\.\d+)?$/.test(part)) return [`"${part}" is not a number`]
  const value = Number(part)
  if (!Number.isInteger(value)) return [`${part} is not a whole number`]
  if (value < 1) return [`${part} is below 1`]
  if (value > MAX_LEVEL) return [`${part} is above ${MAX_LEVEL}`]
  return []
}
