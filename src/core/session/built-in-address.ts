/** How a session names one of Plimsoll's own model servers: `built-in:llama`. Such a server has no fixed address; it is started when a turn needs it. */
import { type Engine, engineSchema } from '../sweep/target.ts'

const PREFIX = 'built-in:'

export const builtInAddress = (engine: Engine): string => `${PREFIX}${engine}`

/** @returns undefined when the address is that of a server elsewhere */
export function builtInEngine(serverUrl: string): Engine | undefined {
  if (!serverUrl.startsWith(PREFIX)) return undefined
  const engine = engineSchema.safeParse(serverUrl.slice(PREFIX.length))
  return engine.success ? engine.data : undefined
}
