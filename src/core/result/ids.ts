/** Branded ids, so that a session's id can't stand where a sweep's is wanted. */
import { z } from 'zod'

export const sweepIdSchema = z.string().min(1).brand<'SweepId'>()
export type SweepId = z.infer<typeof sweepIdSchema>

export const sessionIdSchema = z.string().min(1).brand<'SessionId'>()
export type SessionId = z.infer<typeof sessionIdSchema>

export const turnIdSchema = z.string().min(1).brand<'TurnId'>()
export type TurnId = z.infer<typeof turnIdSchema>

export const terminalIdSchema = z.string().min(1).brand<'TerminalId'>()
export type TerminalId = z.infer<typeof terminalIdSchema>
