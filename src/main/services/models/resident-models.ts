/** What a server holds in memory now (`/api/ps`). */
import { psSchema } from '../../../core/ollama/documents.ts'
import type { Problem } from '../../../core/result/problem.ts'
import { ok, type Result } from '../../../core/result/result.ts'
import type { HttpClient } from '../../platform/http-client.ts'
import { askServer } from './ask-server.ts'

export interface ResidentModel {
  readonly name: string
  /** In memory of any kind; more than `vramBytes` means a spill to the CPU. Null = not said. */
  readonly sizeBytes: number | null
  readonly vramBytes: number | null
  readonly contextTokens: number | null
  /** As the server writes it: a date. */
  readonly expiresAt: string | null
}

export async function residentModels(http: HttpClient, url: string): Promise<Result<readonly ResidentModel[], Problem>> {
  const answer = await askServer(http, url, { method: 'GET', path: '/api/ps', schema: psSchema })
  if (!answer.ok) return answer
  return ok(
    answer.value.models.map((model) => ({
      name: model.name,
      sizeBytes: model.size ?? null,
      vramBytes: model.size_vram ?? null,
      contextTokens: model.context_length ?? null,
      expiresAt: model.expires_at ?? null,
    })),
  )
}
