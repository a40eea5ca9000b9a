/**
 * The built-in model servers that chats talk to: one an engine and model, started by the first session that names it and kept until Plimsoll ends.
 * One that has died is started again by the next turn.
 */
import type { Problem } from '../../core/result/problem.ts'
import { ok, type Result } from '../../core/result/result.ts'
import type { Engine } from '../../core/sweep/target.ts'

type Server = { readonly url: string; stop(): Promise<void> }

export interface ChatServersDeps {
  startBuiltIn(wanted: { engine: Engine; model: string; slots: number; settings: Record<string, unknown> }): Promise<Result<Server, Problem>>
  /** Whether something still answers there. */
  answers(url: string): Promise<boolean>
}

/** Like Ollama's default: what queues is seen to queue. */
const CHAT_SLOTS = 1

export interface ChatServers {
  /** @returns the server's address */
  serverFor(engine: Engine, model: string): Promise<Result<string, Problem>>
  close(): Promise<void>
}

export function createChatServers(deps: ChatServersDeps): ChatServers {
  const started = new Map<string, Promise<Result<Server, Problem>>>()

  const start = (key: string, engine: Engine, model: string) => {
    const server = deps.startBuiltIn({ engine, model, slots: CHAT_SLOTS, settings: {} })
    started.set(key, server)
    return server
  }

  return {
    async serverFor(engine, model) {
      const key = `${engine} ${model}`
      const before = started.get(key)
      const known = await before
      if (known?.ok === true && (await deps.answers(known.value.url))) return ok(known.value.url)
      // Several turns may have found it gone at once; the first of them starts the new one, the others take that.
      const now = started.get(key)
      const fresh = await (now === undefined || now === before ? start(key, engine, model) : now)
      return fresh.ok ? ok(fresh.value.url) : fresh
    },
    async close() {
      const all = await Promise.all(started.values())
      started.clear()
      await Promise.all(all.map((server) => (server.ok ? server.value.stop() : undefined)))
    },
  }
}
