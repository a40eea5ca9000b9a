/**
 * The frames that travel: JSON text, and binary for the chunks of `bytes` streams (1 byte type, u32 big-endian stream id, payload).
 * Ids are chosen by the page and name a call or a stream within one connection.
 */
import { z } from 'zod'
import { type Problem, problemSchema } from '../../core/result/problem.ts'
import type { Delivery } from './define.ts'
import type { Message } from './transport.ts'

/**
 * What a viewer may be owed before it must say that it has taken some: events, or bytes.
 * 64 kB is the figure at which 16 flooding terminals still left the shortest echo (48 ms) of the sizes tried.
 */
export const WINDOW: Readonly<Record<Delivery, number>> = { every: 32, latest: 1, bytes: 64 * 1024 }

const id = z.int().nonnegative().max(0xffff_ffff)

const pageFrameSchema = z.discriminatedUnion('t', [
  z.object({ t: z.literal('call'), id, path: z.string(), input: z.unknown() }),
  z.object({ t: z.literal('open'), id, path: z.string(), input: z.unknown() }),
  z.object({ t: z.literal('credit'), id, amount: z.int().positive() }),
  z.object({ t: z.literal('stop'), id }),
])
export type PageFrame = z.infer<typeof pageFrameSchema>

const mainFrameSchema = z.discriminatedUnion('t', [
  z.object({ t: z.literal('answer'), id, value: z.unknown() }),
  z.object({ t: z.literal('event'), id, value: z.unknown() }),
  z.object({ t: z.literal('end'), id }),
  /** Answer of a call that failed, or end of a stream that failed. */
  z.object({ t: z.literal('problem'), id, problem: problemSchema }),
])
export type MainFrame = z.infer<typeof mainFrameSchema> | { t: 'chunk'; id: number; bytes: Uint8Array }

const CHUNK = 1
const HEADER_BYTES = 5

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const encodePageFrame = (frame: PageFrame): Message => JSON.stringify(frame)

/** @returns undefined for anything that is not a frame of ours */
export function decodePageFrame(message: Message): PageFrame | undefined {
  if (typeof message !== 'string') return undefined
  return pageFrameSchema.safeParse(parseJson(message)).data
}

export function encodeMainFrame(frame: MainFrame): Message {
  if (frame.t !== 'chunk') return JSON.stringify(frame)
  const message = new Uint8Array(HEADER_BYTES + frame.bytes.length)
  message[0] = CHUNK
  new DataView(message.buffer).setUint32(1, frame.id)
  message.set(frame.bytes, HEADER_BYTES)
  return message
}

/** @returns undefined for anything that is not a frame of ours */
export function decodeMainFrame(message: Message): MainFrame | undefined {
  if (typeof message === 'string') return mainFrameSchema.safeParse(parseJson(message)).data
  if (message.length < HEADER_BYTES || message[0] !== CHUNK) return undefined
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  return { t: 'chunk', id: view.getUint32(1), bytes: message.subarray(HEADER_BYTES) }
}

export const connectionLost: Problem = {
  code: 'connection-lost',
  happened: 'The connection to Plimsoll was lost.',
  expected: '',
  todo: 'See whether Plimsoll still runs; the page connects again by itself.',
}
