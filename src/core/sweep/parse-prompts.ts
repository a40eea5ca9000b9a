/** Own prompts out of a file's text: one a line, a JSON array, or JSON lines with `prompt`. All that is wrong with it comes back as one problem. */
import { type Problem, problem } from '../result/problem.ts'
import { err, ok, type Result } from '../result/result.ts'

/** A thousand prompts of some pages each; what is larger is no list of prompts. */
export const MOST_PROMPT_BYTES = 4_000_000
const MOST_PROMPTS = 10_000
/** Some thirty thousand tokens: the context of a large local model. */
const MOST_PROMPT_CHARS = 120_000

/** @param name the file, as it was given */
export function parsePrompts(text: string, name: string): Result<string[], Problem> {
  const plain = text.replace(/^\uFEFF/, '').trim()
  if (plain.includes('\0')) return err(bad(name, 'it is no text'))
  const read = plain.startsWith('[') ? ofArray(plain, name) : ofLines(plain, name)
  if (!read.ok) return read
  const prompts = read.value.map((prompt) => prompt.trim()).filter((prompt) => prompt !== '')
  if (prompts.length === 0) return err(bad(name, 'there is no prompt in it'))
  if (prompts.length > MOST_PROMPTS) return err(bad(name, `it holds ${prompts.length} prompts, ${MOST_PROMPTS} are the most`))
  const long = prompts.findIndex((prompt) => prompt.length > MOST_PROMPT_CHARS)
  if (long >= 0) return err(bad(name, `prompt ${long + 1} has ${prompts[long]?.length} characters, ${MOST_PROMPT_CHARS} are the most`))
  return ok(prompts)
}

function ofArray(text: string, name: string): Result<string[], Problem> {
  const value = parseJson(text)
  if (!Array.isArray(value)) return err(bad(name, 'it begins like a JSON array and is none'))
  return all(
    value.map((entry) => promptIn(entry)),
    name,
    'entry',
  )
}

function ofLines(text: string, name: string): Result<string[], Problem> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  // JSON lines are told by the first: a plain prompt may begin with a brace, but hardly be JSON.
  const first = parseJson(lines[0] ?? '')
  if (typeof first !== 'object' || first === null) return ok(lines)
  return all(
    lines.map((line) => promptIn(parseJson(line))),
    name,
    'line',
  )
}

function all(prompts: readonly (string | undefined)[], name: string, what: string): Result<string[], Problem> {
  const wrong = prompts.indexOf(undefined)
  return wrong < 0 ? ok(prompts.flatMap((prompt) => prompt ?? [])) : err(bad(name, `${what} ${wrong + 1} holds no prompt`))
}

function promptIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  const { prompt } = value as { prompt?: unknown }
  return typeof prompt === 'string' ? prompt : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function bad(name: string, why: string): Problem {
  return problem(
    'prompts-invalid',
    `The prompts in ${name} can't be used: ${why}.`,
    'Expected one prompt a line, a JSON array of texts, or JSON lines with a "prompt" each.',
    'For example a file of two lines: Name three rivers. / What is a queue?',
  )
}
