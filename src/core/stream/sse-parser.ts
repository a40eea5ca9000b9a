/**
 * Reads server-sent events from decoded text in arbitrary pieces (WHATWG "event stream interpretation"): \n, \r\n and \r end lines,
 * comments are handed out too, because pings are told from data by them. One departure: an event cut off by the end of the stream is given, marked.
 */

export type SseItem =
  | {
      readonly kind: 'event'
      /** `message` when the stream names none. */
      readonly event: string
      readonly data: string
      readonly id: string | undefined
      /** False: the stream ended before the blank line that closes an event. */
      readonly closed: boolean
    }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'retry'; readonly delayMs: number }

export interface SseParser {
  push(piece: string): SseItem[]
  end(): SseItem[]
}

export function createSseParser(): SseParser {
  let pending: string[] = []
  /** A \r ended the last line of the piece before: a \n that follows belongs to it. */
  let skipNewline = false
  let atStart = true
  let event = ''
  let data: string[] = []
  let id: string | undefined

  const dispatch = (items: SseItem[], closed: boolean) => {
    if (data.length > 0) items.push({ kind: 'event', event: event === '' ? 'message' : event, data: data.join('\n'), id, closed })
    event = ''
    data = []
  }
  const readLine = (items: SseItem[], line: string) => {
    if (line === '') return dispatch(items, true)
    const colon = line.indexOf(':')
    if (colon === 0) {
      items.push({ kind: 'comment', text: line.slice(line.charCodeAt(1) === 32 ? 2 : 1) })
      return
    }
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d+$/.test(value)) items.push({ kind: 'retry', delayMs: Number(value) })
  }
  const takeLine = (lastPart: string): string => {
    pending.push(lastPart)
    const line = pending.length === 1 ? lastPart : pending.join('')
    pending = []
    return line
  }
  return {
    push(piece) {
      const items: SseItem[] = []
      let start = 0
      if (atStart && piece !== '') {
        atStart = false
        if (piece.charCodeAt(0) === 0xfeff) start = 1
      }
      if (skipNewline && start < piece.length) {
        skipNewline = false
        if (piece.charCodeAt(start) === 10) start += 1
      }
      for (let at = lineEnd(piece, start); at !== -1; at = lineEnd(piece, start)) {
        readLine(items, takeLine(piece.slice(start, at)))
        start = at + 1
        if (piece.charCodeAt(at) !== 13) continue
        if (start === piece.length) skipNewline = true
        else if (piece.charCodeAt(start) === 10) start += 1
      }
      if (start < piece.length) pending.push(piece.slice(start))
      return items
    },
    end() {
      const items: SseItem[] = []
      const rest = takeLine('')
      if (rest !== '') readLine(items, rest)
      dispatch(items, false)
      skipNewline = false
      atStart = true
      return items
    },
  }
}

function lineEnd(text: string, from: number): number {
  const lf = text.indexOf('\n', from)
  const cr = text.indexOf('\r', from)
  if (lf === -1) return cr
  return cr === -1 ? lf : Math.min(lf, cr)
}
