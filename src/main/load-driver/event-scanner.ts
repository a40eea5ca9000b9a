/**
 * Cuts the runner's event stream into frames at the least cost per event: no parsing but for type, id and where the data begin.
 * Reads only what our own runner writes (core/stream/encode-sse.ts, one data line a frame, JSON without line breaks).
 */

/** @param data JSON as Latin-1 text: exact for ASCII; `utf8Of` gives the true text */
export type FrameListener = (type: string, seq: number, data: string) => void

export type EventScanner = { push(bytes: Buffer): void }

export function createEventScanner(onFrame: FrameListener): EventScanner {
  let pending = ''
  return {
    push(bytes) {
      const piece = bytes.toString('latin1')
      const text = pending === '' ? piece : pending + piece
      let start = 0
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n', start)) {
        readFrame(text, start, end, onFrame)
        start = end + 2
      }
      pending = start === text.length ? '' : text.slice(start)
    },
  }
}

/** Latin-1 text of UTF-8 bytes back to what it says. */
export function utf8Of(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8')
}

function readFrame(text: string, start: number, end: number, onFrame: FrameListener): void {
  let type = 'message'
  let seq = 0
  let at = start
  while (at < end) {
    const newline = text.indexOf('\n', at)
    const lineEnd = newline === -1 || newline > end ? end : newline
    if (text.startsWith('data: ', at)) {
      onFrame(type, seq, text.slice(at + 6, lineEnd))
      return
    }
    if (text.startsWith('event: ', at)) type = text.slice(at + 7, lineEnd)
    else if (text.startsWith('id: ', at)) seq = Number(text.slice(at + 4, lineEnd))
    at = lineEnd + 1
  }
}

/** The number behind a key, without parsing the rest; NaN where there is none. A key inside a string can't be met: its quotes are escaped there. */
export function numberAfter(json: string, key: string): number {
  const at = json.indexOf(key)
  return at === -1 ? Number.NaN : Number.parseFloat(json.slice(at + key.length, at + key.length + 24))
}
