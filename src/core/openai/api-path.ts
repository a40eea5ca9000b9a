/** Where a server's OpenAI paths begin: people give the address with its version (`…/v1`) or without. */

/** @param basePath of the address, without a slash at the end @param path from behind the version: `/chat/completions` */
export function openAiPath(basePath: string, path: string): string {
  return /\/v\d\w*(\/|$)/.test(basePath) ? path : `/v1${path}`
}
