/** What a server says a model can do (`/api/show`), asked once per server and model. Only what was said is kept; a server that failed is asked again. */
import { showSchema } from '../../../core/ollama/documents.ts'
import { type HttpClient, type HttpOrigin, originText } from '../../platform/http-client.ts'
import { getJson } from '../../platform/http-json.ts'

/** Null = the server does not say. */
export interface Abilities {
  readonly tools: boolean | null
  readonly thinking: boolean | null
}

export interface ModelAbilities {
  of(server: HttpOrigin, model: string): Promise<Abilities>
}

export const UNKNOWN_ABILITIES: Abilities = { tools: null, thinking: null }
/** A queue of requests does not delay `/api/show`; a server that takes longer is stuck. */
const SHOW_DEADLINE_MS = 10_000

export function createModelAbilities(http: HttpClient): ModelAbilities {
  const known = new Map<string, Promise<Abilities>>()
  return {
    of(server, model) {
      const key = `${originText(server)} ${model}`
      const asked = known.get(key) ?? ask(http, server, model)
      known.set(key, asked)
      void asked.then((abilities) => {
        if (abilities === UNKNOWN_ABILITIES && known.get(key) === asked) known.delete(key)
      })
      return asked
    },
  }
}

async function ask(http: HttpClient, server: HttpOrigin, model: string): Promise<Abilities> {
  const answer = await getJson(http, { origin: server, method: 'POST', path: '/api/show', body: { model }, deadlineMs: SHOW_DEADLINE_MS })
  if (!answer.ok) return UNKNOWN_ABILITIES
  const show = showSchema.safeParse(answer.value)
  if (!show.success) return UNKNOWN_ABILITIES
  const { capabilities, template } = show.data
  if (capabilities !== undefined) return { tools: capabilities.includes('tools'), thinking: capabilities.includes('thinking') }
  // Before 0.6 servers listed none; a template that lays out tools is made for them.
  return template === undefined ? UNKNOWN_ABILITIES : { tools: template.includes('.Tools'), thinking: null }
}
