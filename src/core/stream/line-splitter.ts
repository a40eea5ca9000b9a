/**
 * Cuts a stream that arrives in arbitrary pieces into lines, for NDJSON. Ends lines at \n only, drops a \r before it and empty lines.
 * The last line counts even without its newline: some servers and proxies leave it off.
 */

export interface LineSplitter<Piece> {
  /** The lines that this piece completes, in order; often exactly one, sometimes none. */
  push(piece: Piece): Piece[]
  /** What was left without a newline, if anything; the splitter starts afresh. */
  end(): Piece[]
}

const LF = 10
const CR = 13

/** For text whose bytes were already decoded by a decoder that keeps split characters together. */
export function createLineSplitter(): LineSplitter<string> {
  // Pieces of an unfinished line are joined once, when its newline comes: joining at each piece would be quadratic in the line's length.
  let pending: string[] = []

  const take = (lastPart: string): string => {
    if (pending.length === 0) return lastPart
    pending.push(lastPart)
    const line = pending.join('')
    pending = []
    return line
  }
  const keep = (lines: string[], line: string) => {
    const text = line.charCodeAt(line.length - 1) === CR ? line.slice(0, -1) : line
    if (text !== '') lines.push(text)
  }
  return {
    push(piece) {
      const lines: string[] = []
      let start = 0
      for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', start)) {
        keep(lines, take(piece.slice(start, at)))
        start = at + 1
      }
      if (start < piece.length) pending.push(start === 0 ? piece : piece.slice(start))
      return lines
    },
    end() {
      const lines: string[] = []
      keep(lines, take(''))
      return lines
    },
  }
}

/** For raw bytes. A newline byte never occurs inside a UTF-8 character, so each line it gives decodes by itself. Lines are views of the pieces where possible. */
export function createByteLineSplitter(): LineSplitter<Uint8Array> {
  let pending: Uint8Array[] = []

  const take = (lastPart: Uint8Array): Uint8Array => {
    if (pending.length === 0) return lastPart
    pending.push(lastPart)
    const line = joinBytes(pending)
    pending = []
    return line
  }
  const keep = (lines: Uint8Array[], line: Uint8Array) => {
    const bytes = line[line.length - 1] === CR ? line.subarray(0, -1) : line
    if (bytes.length > 0) lines.push(bytes)
  }
  return {
    push(piece) {
      const lines: Uint8Array[] = []
      let start = 0
      for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, start)) {
        keep(lines, take(piece.subarray(start, at)))
        start = at + 1
      }
      if (start < piece.length) pending.push(piece.subarray(start))
      return lines
    },
    end() {
      const lines: Uint8Array[] = []
      keep(lines, take(new Uint8Array(0)))
      return lines
    },
  }
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
