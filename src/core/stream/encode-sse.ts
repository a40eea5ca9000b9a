/** Writes server-sent events; what it writes, `createSseParser` reads back the same. */

/** @param options.event must not hold a line break; @param options.id neither, nor NUL */
export function encodeSse(data: string, options: { event?: string; id?: string; retryMs?: number } = {}): string {
  const head = [
    options.event === undefined ? '' : `event: ${options.event}\n`,
    options.id === undefined ? '' : `id: ${options.id}\n`,
    options.retryMs === undefined ? '' : `retry: ${options.retryMs}\n`,
  ].join('')
  const body = data.includes('\n') || data.includes('\r') ? data.split(/\r\n|\n|\r/).join('\ndata: ') : data
  return `${head}data: ${body}\n\n`
}

/** A line that readers skip: keeps the connection warm and shows that the server lives. */
export function encodeSseComment(text: string): string {
  return `: ${text}\n\n`
}
