/** Single values of the command line, from text; each fault is a Problem that names the option. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'

const bad = (option: string, text: string, expected: string, example: string): Result<never, Problem> =>
  err(problem('option-invalid', `${option} ${text} can't be used.`, `Expected ${expected}.`, `For example: ${option} ${example}`))

export function readInteger(option: string, text: string, least: number, most: number, example: string): Result<number, Problem> {
  const value = Number(text)
  if (/^\d+$/.test(text.trim()) && value >= least && value <= most) return ok(value)
  return bad(option, text, `a whole number from ${least} to ${most}`, example)
}

/** Milliseconds; `2s`, `1500ms` and `1500` alike. */
export function readMs(option: string, text: string, example: string): Result<number, Problem> {
  const match = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(text.trim())
  const ms = match === null ? Number.NaN : Number(match[1]) * (match[2] === 's' ? 1000 : 1)
  return ms > 0 ? ok(ms) : bad(option, text, 'a time above 0 in milliseconds, or with s or ms behind it', example)
}

/** A share from 0 to 1; `95%` and `0.95` alike. */
export function readRatio(option: string, text: string, example: string): Result<number, Problem> {
  const match = /^(\d+(?:\.\d+)?)(%)?$/.exec(text.trim())
  const ratio = match === null ? Number.NaN : Number(match[1]) / (match[2] === undefined ? 1 : 100)
  return ratio >= 0 && ratio <= 1 ? ok(ratio) : bad(option, text, 'a share from 0 to 1, or in percent', example)
}

/** US dollars; `0.15` and `$0.15` alike. */
export function readUsd(option: string, text: string, expected = 'a price in US dollars per million tokens'): Result<number, Problem> {
  const match = /^\$?(\d+(?:\.\d+)?)$/.exec(text.trim())
  return match === null ? bad(option, text, expected, '0.15') : ok(Number(match[1]))
}

/** `key=value`, any number of times: what reads as JSON is taken as such (`8`, `true`, `[1,2]`), anything else as text. */
export function readAssignments(option: string, texts: readonly string[], example: string): Result<Record<string, unknown>, Problem> {
  const values: Record<string, unknown> = {}
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) return bad(option, text, 'name=value', example)
    values[text.slice(0, at)] = jsonOrText(text.slice(at + 1))
  }
  return ok(values)
}

function jsonOrText(text: string): unknown {
  for (const candidate of [text, `[${text}]`]) {
    try {
      return JSON.parse(candidate)
    } catch {
      // No JSON in this reading; the next one, or plain text.
    }
  }
  return text
}

/** An address of a model server as people write it: without a scheme it is http. */
export function readServerUrl(text: string): Result<string, Problem> {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  let url: URL
  try {
    url = new URL(withScheme)
  } catch {
    return bad('--server', text, 'the address of a model server', 'http://127.0.0.1:11434')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return bad('--server', text, 'an http or https address', 'http://127.0.0.1:11434')
  return ok(`${url.origin}${url.pathname === '/' ? '' : url.pathname.replace(/\/+$/, '')}`)
}
