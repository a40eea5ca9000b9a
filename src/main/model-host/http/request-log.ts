/**
 * The server's own account of every request, on the machine's monotonic axis, so that a client's numbers can be held against it.
 * Kept in memory up to a limit, and as JSON lines in a file where one is named.
 */
import { createWriteStream, type WriteStream } from 'node:fs'

export type RequestOutcome =
  | 'open'
  | 'ok'
  /** The client went away. */
  | 'aborted'
  /** Refused before any work: unknown model, bad request, full. */
  | 'refused'
  /** Failed after the stream began, or while the model loaded. */
  | 'failed'
  /** Ended without its end marker. */
  | 'cut'
  /** Connection torn down by the server. */
  | 'reset'

export interface RequestRecord {
  readonly id: number
  /** The client's own name for the call, from the header `x-plimsoll-call`. */
  readonly callId: string | null
  readonly path: string
  model: string | null
  readonly arrivalMs: number
  slotAcquiredMs: number | null
  firstTokenMs: number | null
  lastTokenMs: number | null
  endMs: number | null
  /** From arrival to slot, less the load: waiting for others. */
  queuedMs: number | null
  loadMs: number | null
  outcome: RequestOutcome
  status: number
  promptTokens: number | null
  /** Of the answer, any channel. */
  tokens: number
  simulated: boolean
}

export interface RequestLog {
  open(entry: { path: string; callId: string | null; arrivalMs: number }): RequestRecord
  /** Writes the record out; call once, when nothing of it changes any more. */
  close(record: RequestRecord): void
  /** Oldest first. */
  records(afterId?: number): readonly RequestRecord[]
  stop(): Promise<void>
}

/** Records kept in memory. */
const KEEP_RECORDS = 20_000

export function createRequestLog(options: { simulated: boolean; file?: WriteStream }): RequestLog {
  let lastId = 0
  let kept: RequestRecord[] = []
  return {
    open({ path, callId, arrivalMs }) {
      lastId += 1
      const record: RequestRecord = {
        id: lastId,
        callId,
        path,
        model: null,
        arrivalMs,
        slotAcquiredMs: null,
        firstTokenMs: null,
        lastTokenMs: null,
        endMs: null,
        queuedMs: null,
        loadMs: null,
        outcome: 'open',
        status: 0,
        promptTokens: null,
        tokens: 0,
        simulated: options.simulated,
      }
      kept.push(record)
      if (kept.length > KEEP_RECORDS * 2) kept = kept.slice(-KEEP_RECORDS)
      return record
    },
    close(record) {
      options.file?.write(`${JSON.stringify(record)}\n`)
    },
    records: (afterId = 0) => kept.filter((record) => record.id > afterId),
    stop: () => new Promise((resolve) => (options.file === undefined ? resolve() : options.file.end(() => resolve()))),
  }
}

/** Opens the file for appending; rejects when it can't be. */
export function openLogFile(path: string): Promise<WriteStream> {
  return new Promise((resolve, reject) => {
    const file = createWriteStream(path, { flags: 'a' })
    file.once('error', reject)
    file.once('open', () => {
      file.off('error', reject)
      // A disk that fills up later must not take the server down; what is in memory stays readable.
      file.on('error', () => file.destroy())
      resolve(file)
    })
  })
}
