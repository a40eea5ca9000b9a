/** The body of a chat completion, from what a call on Ollama's wire would be asked: messages, tools, and options under OpenAI's names. Pure. */

export interface CompletionMessage {
  readonly role: string
  readonly content: string
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: Record<string, unknown> } }[]
}

export interface CompletionRequest {
  readonly model: string
  readonly messages: readonly CompletionMessage[]
  /** Ollama's shape is OpenAI's. */
  readonly tools?: readonly unknown[]
  /** As on Ollama's wire: `num_predict` is the cap of output tokens. */
  readonly options: Readonly<Record<string, number | string | boolean>>
}

/** How Ollama loads a model: other servers were given these when they were started, and OpenAI refuses what it does not know. */
const LOAD_OPTIONS: ReadonlySet<string> = new Set([
  'num_ctx',
  'num_batch',
  'num_gpu',
  'main_gpu',
  'num_thread',
  'num_keep',
  'use_mmap',
  'use_mlock',
  'numa',
  'low_vram',
])

/** @param host OpenAI itself wants the cap under its newer name, which many servers don't know */
export function completionBody(request: CompletionRequest, host: string): Record<string, unknown> {
  const { model, messages, tools = [], options } = request
  const cap = /(^|\.)openai\.com$/.test(host) ? 'max_completion_tokens' : 'max_tokens'
  const own = Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => {
      // Below zero means "to the end" there, which is the default here.
      if (name === 'num_predict') return typeof value === 'number' && value > 0 ? [[cap, value]] : []
      return LOAD_OPTIONS.has(name) ? [] : [[name, value]]
    }),
  )
  return {
    model,
    messages: messagesOf(messages),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length > 0 ? { tools } : {}),
    ...own,
  }
}

/** Tool calls get ids, and each answer of a tool names the call that it belongs to: they come in the same order. */
function messagesOf(messages: readonly CompletionMessage[]): unknown[] {
  let calls = 0
  const open: string[] = []
  return messages.map(({ role, content, tool_calls: toolCalls }) => {
    if (role === 'tool') return { role, content, tool_call_id: open.shift() ?? 'call_0' }
    if (toolCalls === undefined || toolCalls.length === 0) return { role, content }
    open.length = 0
    const said = toolCalls.map(({ function: called }) => {
      const id = `call_${calls++}`
      open.push(id)
      return { id, type: 'function', function: { name: called.name, arguments: JSON.stringify(called.arguments) } }
    })
    return { role, content, tool_calls: said }
  })
}
