/**
 * The runner's HTTP API on loopback, as data: paths, bodies, answers. The runner serves it, the load driver and scripts call it.
 * All but `/health` want `Authorization: Bearer TOKEN`.
 *
 *   POST   /v1/sessions                 {settings}            → 201 {sessionId}
 *   POST   /v1/sessions/:id/turns       {text}                → 202 {turnId, seq}   at once; work goes on behind it
 *   GET    /v1/sessions/:id/events      Last-Event-ID: SEQ    → SSE of SessionEvent (id: seq, event: type, data: JSON)
 *   POST   /v1/sessions/:id/cancel                            → 202 {cancelled: boolean}
 *   DELETE /v1/sessions/:id                                   → 204
 *   GET    /health                                            → 200 {ok, version}
 *   GET    /metrics                                           → Prometheus text
 */
import { z } from 'zod'
import { sessionIdSchema, turnIdSchema } from '../result/ids.ts'
import { problemSchema } from '../result/problem.ts'
import { sessionSettingsSchema } from './session-event.ts'

export const createSessionBodySchema = z.object({ settings: sessionSettingsSchema })
export const createSessionAnswerSchema = z.object({ sessionId: sessionIdSchema })
/** `seq` is that of the turn's first event: read events from `seq - 1` to see the whole turn. */
export const postTurnAnswerSchema = z.object({ turnId: turnIdSchema, seq: z.int().positive() })
export const errorAnswerSchema = z.object({ problem: problemSchema })
