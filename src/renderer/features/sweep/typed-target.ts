/** A target as typed: `http://10.0.0.5:11434 llama3.2:1b`, with or without the scheme. Pure. */
import type { Target } from '../../../core/sweep/target.ts'

export type TypedTarget = { readonly target: Extract<Target, { kind: 'server' }>; readonly label: string }

/** @returns undefined when it is no address followed by a model; then it is a search */
export function typedTarget(text: string): TypedTarget | undefined {
  const match = /^(?:(https?):\/\/)?([\w.-]+|\[[\da-f:]+\])(?::(\d{1,5}))?\/?\s+(\S+)$/i.exec(text.trim())
  if (match === null) return undefined
  const [, scheme, host, port, model] = match
  if (host === undefined || model === undefined || (scheme === undefined && port === undefined)) return undefined
  if (port !== undefined && Number(port) > 65_535) return undefined
  const url = `${scheme?.toLowerCase() ?? 'http'}://${host}${port === undefined ? '' : `:${port}`}`
  return { target: { kind: 'server', url, model }, label: `${model} at ${url}` }
}
