/** What must be ended, in the order in which it is to end. One that fails or hangs does not keep the others from ending. */
import type { Log } from '../platform/log.ts'

/** A part that has not ended by then is left behind: the process ends, and its children with it. */
const CLOSE_LIMIT_MS = 8_000

export interface Closers {
  /** The last one added ends first. */
  add(name: string, close: () => Promise<void> | void): void
  closeAll(): Promise<void>
}

export function createClosers(log: Log): Closers {
  const parts: { name: string; close: () => Promise<void> | void }[] = []
  let closing: Promise<void> | undefined

  async function closeOne({ name, close }: (typeof parts)[number]): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`did not end within ${CLOSE_LIMIT_MS} ms`)), CLOSE_LIMIT_MS)
    })
    try {
      await Promise.race([close(), limit])
    } catch (cause) {
      log.error(`Closing the ${name} failed`, cause)
    } finally {
      clearTimeout(timer)
    }
  }

  async function run(): Promise<void> {
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) await closeOne(part)
  }

  return {
    add: (name, close) => void parts.push({ name, close }),
    closeAll() {
      closing ??= run()
      return closing
    },
  }
}
