/** What a server says a model can do (`/api/show`; llama-server's `/props` on OpenAI's wire), asked once per server and model. Only what was said is kept; a server that failed is asked again. */
import { propsSchema } from '../../../core/model-servers/documents.ts'
import { showSchema } from '../../../core/ollama/documents.ts'
import { type HttpClient, type HttpOrigin, originText } from '../../platform/http-client.ts'
import { getJson } from '../../platform/http-json.ts'

/** Null = the server does not say. */
export interface Abilities {
  readonly tools: boolean | null
  readonly thinking: boolean | null
}

export interface ModelAbilities {
  of(server: HttpOrigin, model: string, wire?: { readonly api: 'openai'; readonly key: string | undefined }): Promise<Abilities>
}

export const UNKNOWN_ABILITIES: Abilities = { tools: null, thinking: null }
/** A queue of requests does not delay `/api/show`; a server that takes longer is stuck. */
const SHOW_DEADLINE_MS = 10_000
/** Only llama-server has it; nobody waits long for the others. */
const PROPS_DEADLINE_MS = 2_000

export function createModelAbilities(http: HttpClient): ModelAbilities {
  const known = new Map<string, Promise<Abilities>>()
  return {
    of(server, model, wire) {
      const key = `${originText(server)} ${model} ${wire?.api ?? ''}`
      const asked = known.get(key) ?? (wire === undefined ? ask(http, server, model) : askOpenAi(http, server, wire.key))
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

/**
 * OpenAI's wire has no question for it: tools are offered, and a model that has none says so in its refusal. llama-server alone takes them and drops
 * them without a word where the template has none; it says so in `/props`.
 */
async function askOpenAi(http: HttpClient, server: HttpOrigin, key: string | undefined): Promise<Abilities> {
  const headers = key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }
  const origin = { ...server, basePath: server.basePath.replace(/\/v1$/, '') }
  const answer = await getJson(http, { origin, method: 'GET', path: '/props', deadlineMs: PROPS_DEADLINE_MS, ...headers })
  const props = answer.ok ? propsSchema.safeParse(answer.value) : undefined
  return { tools: props?.success === true ? (props.data.chat_template_caps?.supports_tools ?? true) : true, thinking: null }
}
