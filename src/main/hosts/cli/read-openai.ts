/** The options of a server on OpenAI's wire: the wire, the name of its key, what it costs. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, type Result } from '../../../core/result/result.ts'
import type { Target } from '../../../core/sweep/target.ts'
import { readUsd } from './read-values.ts'

export type OpenAiFlags = {
  api?: string
  /** True = the usual name. */
  keyEnv?: string | true
  priceIn?: string
  priceOut?: string
}

/** Gathers the problem of a result. */
export type Take = <T>(result: Result<T, Problem>) => T | undefined

/** What a target holds beside address and model when it speaks OpenAI's wire. */
export type OpenAiAccess = Pick<Target & { kind: 'server' }, 'keyName' | 'price'> & { readonly api: 'openai' }

/** The usual name; looked up only when a key is asked for without one. */
const USUAL_KEY = 'OPENAI_API_KEY'

/** @returns undefined for Ollama's native API */
export function readOpenAi(flags: OpenAiFlags, take: Take): OpenAiAccess | undefined {
  const bad = (text: string, expected: string) =>
    void take(err(problem('option-invalid', text, expected, 'For example: --api openai --key-env OPENAI_API_KEY')))
  if (flags.api !== undefined && flags.api !== 'openai' && flags.api !== 'ollama')
    bad(`--api ${flags.api} is no wire that Plimsoll speaks.`, 'Expected ollama or openai.')
  if (flags.api !== 'openai') {
    if (flags.keyEnv !== undefined || flags.priceIn !== undefined || flags.priceOut !== undefined)
      bad('--key-env and prices go with --api openai.', '')
    return undefined
  }
  const keyName = flags.keyEnv === true ? USUAL_KEY : flags.keyEnv
  // What is typed here by mistake may be the key itself: it is not repeated.
  if (keyName !== undefined && !/^[A-Z_][A-Z0-9_]*$/.test(keyName))
    bad('What stands behind --key-env is not the name of a variable.', 'Expected the NAME that holds the key, in capitals, never the key.')
  const usd = (option: string, text: string | undefined) => (text === undefined ? undefined : take(readUsd(option, text)))
  const [inputUsd, outputUsd] = [usd('--price-in', flags.priceIn), usd('--price-out', flags.priceOut)]
  return {
    api: 'openai',
    ...(keyName === undefined ? {} : { keyName }),
    ...(inputUsd === undefined && outputUsd === undefined ? {} : { price: { inputUsd: inputUsd ?? 0, outputUsd: outputUsd ?? 0 } }),
  }
}
