export const PINNED_VERSION: string
export type FoundOllama = { path: string; version: string; how: 'path' | 'cache' | 'built'; tookMs: number }
/** A program that runs, or the reason why there is none. */
export function findOrBuildOllama(options?: {
  env?: NodeJS.ProcessEnv
  mayBuild?: boolean
  say?: (line: string) => void
  /** Ends a build that is under way. */
  signal?: AbortSignal
}): Promise<FoundOllama | { reason: string }>
