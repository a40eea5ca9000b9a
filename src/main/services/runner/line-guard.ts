/**
 * Stands between the socket and the `ollama` client, which prints to the console when a line is not JSON: hands on whole lines that look like
 * JSON objects, drops blank ones, stops at the first that is something else. Runs once per read: looks at the ends of lines only.
 */

const LF = 10
const CR = 13
const OPEN = 123
const CLOSE = 125
/** Longest piece of a bad line that is kept for the sentence. */
const KEEP_BYTES = 120

export interface LineGuard {
  /** Lines handed on so far. */
  readonly lines: number
  /** What to hand on of this read: whole lines only, maybe none. Undefined: a line is no JSON object; see `bad`. */
  accept(bytes: Buffer): Buffer | undefined
  /** At the end of the stream: the last line if it came without its newline. Undefined as above. */
  end(): Buffer | undefined
  /** Beginning of the line that was refused. */
  readonly bad: string
}

const NOTHING = Buffer.alloc(0)

export function createLineGuard(): LineGuard {
  return new Guard()
}

class Guard implements LineGuard {
  lines = 0
  bad = ''
  /** Pieces of a line whose newline has not come yet. */
  #rest: Buffer[] = []

  accept(bytes: Buffer): Buffer | undefined {
    const lastLf = bytes.lastIndexOf(LF)
    if (lastLf === -1) {
      this.#rest.push(bytes)
      return this.#opens() ? NOTHING : undefined
    }
    let whole = lastLf === bytes.length - 1 ? bytes : bytes.subarray(0, lastLf + 1)
    if (this.#rest.length > 0) {
      whole = Buffer.concat([...this.#rest, whole])
      this.#rest = []
    }
    if (lastLf < bytes.length - 1) this.#rest.push(bytes.subarray(lastLf + 1))
    return this.#check(whole)
  }

  end(): Buffer | undefined {
    const rest = this.#rest.length === 0 ? NOTHING : Buffer.concat(this.#rest)
    this.#rest = []
    const text = rest.toString().trim()
    if (text === '') return NOTHING
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value === 'object' && value !== null) {
        this.lines += 1
        return rest
      }
    } catch {
      // Cut in the middle of a line: the caller finds the end marker missing.
    }
    return this.#refuse(text)
  }

  /** A first piece that can't become a JSON object is refused at once, not when its newline comes. */
  #opens(): boolean {
    const first = this.#rest[0]
    if (first === undefined || first[0] === OPEN || first[0] === CR) return true
    this.#refuse(first.toString('utf8', 0, KEEP_BYTES))
    return false
  }

  #check(whole: Buffer): Buffer | undefined {
    let blank = false
    let start = 0
    for (let at = whole.indexOf(LF); at !== -1; at = whole.indexOf(LF, start)) {
      const end = whole[at - 1] === CR ? at - 1 : at
      if (end <= start) blank = true
      else if (whole[start] === OPEN && whole[end - 1] === CLOSE) this.lines += 1
      else return this.#refuse(whole.toString('utf8', start, Math.min(end, start + KEEP_BYTES)))
      start = at + 1
    }
    return blank ? withoutBlankLines(whole) : whole
  }

  #refuse(line: string): undefined {
    this.bad = line.slice(0, KEEP_BYTES)
    return undefined
  }
}

function withoutBlankLines(bytes: Buffer): Buffer {
  const lines = bytes
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.length === 0 ? NOTHING : Buffer.from(`${lines.join('\n')}\n`)
}
