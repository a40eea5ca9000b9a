/** A GGUF file as a loaded model with its contexts: the only file that knows node-llama-cpp, which it imports when asked, since it is optional. */
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ChatHistoryItem, Llama, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { CallMessage, ModelCard } from '../engine.ts'
import type { LlamaSettings } from './llama-settings.ts'

const USE_SIMULATED = 'Use --engine simulated, which needs nothing installed.'

const GGUF_VERSIONS: ReadonlySet<number> = new Set([2, 3])

/** What one slot does: evaluates a prompt and goes on from it, token by token. */
export interface LlamaSlot {
  /** From nothing: earlier calls leave no trace that would make this one cheap. */
  generate(prompt: readonly Token[], options: GenerateOptions): AsyncIterable<Token>
}

export interface GenerateOptions {
  readonly temperature: number
  readonly topK: number | undefined
  readonly topP: number | undefined
  readonly seed: number
}

/** A context with its slots, evaluated in common batches. */
export interface LlamaContextHandle {
  readonly contextTokens: number
  readonly slots: readonly LlamaSlot[]
  dispose(): Promise<void>
}

export interface LlamaFile {
  readonly card: ModelCard
  createContext(contextTokens: number, slots: number): Promise<LlamaContextHandle>
  /** The chat in the model's own template, as tokens. */
  tokenizeChat(messages: readonly CallMessage[]): Token[]
  /** @param before tokens just before, since a piece's spelling may depend on them */
  text(tokens: readonly Token[], before: readonly Token[]): string
  dispose(): Promise<void>
}

/** Opens and checks the file; loads nothing but its weights. */
export async function openLlamaFile(path: string, name: string | undefined, settings: LlamaSettings): Promise<Result<LlamaFile, Problem>> {
  const fault = await fileFault(path)
  if (fault !== undefined) return err(fault)
  let module: typeof import('node-llama-cpp')
  let llama: Llama
  try {
    module = await import('node-llama-cpp')
    llama = await module.getLlama({
      gpu: false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      maxThreads: settings.threads,
      logLevel: module.LlamaLogLevel.disabled,
    })
  } catch (cause) {
    return err(
      problem(
        'llama-missing',
        `llama.cpp can't be used on this machine: ${firstLine(cause)}.`,
        'It comes with the optional package node-llama-cpp.',
        USE_SIMULATED,
      ),
    )
  }
  try {
    const model = await llama.loadModel({ modelPath: path, useMmap: true })
    const sizeBytes = (await stat(path)).size
    return ok(asLlamaFile(module, llama, model, cardOf(model, name ?? basename(path).replace(/\.gguf$/i, ''), sizeBytes, settings), settings))
  } catch (cause) {
    await llama.dispose().catch(() => {})
    return err(
      problem(
        'model-unreadable',
        `${path} can't be loaded as a model: ${firstLine(cause)}.`,
        'A whole GGUF file of an architecture that llama.cpp knows was expected.',
        `Get the file again, choose another, or leave --model out for the built-in one. ${USE_SIMULATED}`,
      ),
    )
  }
}

/** What can be seen of the file without llama.cpp, which takes the process down on some faulty files. */
async function fileFault(path: string): Promise<Problem | undefined> {
  const faulty = (what: string) =>
    problem(
      'model-unreadable',
      `${path} ${what}.`,
      'A GGUF file was expected.',
      'Check the path, get the file again, or leave --model out for the built-in one.',
    )
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => cause)
  if (file instanceof Error) return faulty(file.code === 'ENOENT' ? 'does not exist' : `can't be opened: ${file.message}`)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(8), 0, 8, 0)
    if (bytesRead < 8 || buffer.toString('latin1', 0, 4) !== 'GGUF') return faulty('is no GGUF file: it does not begin with "GGUF"')
    const version = buffer.readUInt32LE(4)
    if (!GGUF_VERSIONS.has(version)) return faulty(`is a GGUF file of version ${version}, which llama.cpp does not know`)
  } catch (cause) {
    return faulty(`can't be read: ${firstLine(cause)}`)
  } finally {
    await file.close()
  }
  return undefined
}

function asLlamaFile(module: typeof import('node-llama-cpp'), llama: Llama, model: LlamaModel, card: ModelCard, settings: LlamaSettings): LlamaFile {
  const wrapper = module.resolveChatWrapper(model)
  return {
    card,
    async createContext(contextTokens, slots) {
      const context = await model.createContext({
        contextSize: contextTokens,
        sequences: slots,
        batchSize: Math.min(settings.batchTokens, contextTokens),
        threads: { ideal: settings.threads, min: settings.threads },
        ignoreMemorySafetyChecks: true,
      })
      const sequences = Array.from({ length: slots }, () => context.getSequence())
      return { contextTokens, slots: sequences.map(asSlot), dispose: () => context.dispose() }
    },
    tokenizeChat(messages) {
      const chatHistory = [...messages.map(historyItem), { type: 'model' as const, response: [] }]
      return wrapper.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer)
    },
    text: (tokens, before) => model.detokenize(tokens, false, before),
    dispose: () => llama.dispose(),
  }
}

function asSlot(sequence: LlamaContextSequence): LlamaSlot {
  return {
    async *generate(prompt, { temperature, topK, topP, seed }) {
      await sequence.clearHistory()
      yield* sequence.evaluate([...prompt], { temperature, topK, topP, seed })
    },
  }
}

/** Templates of node-llama-cpp know three roles; a tool's result is told as the person's. */
function historyItem(message: CallMessage): ChatHistoryItem {
  switch (message.role) {
    case 'system':
      return { type: 'system', text: message.content }
    case 'assistant': {
      const calls = message.toolCalls.map((call) => JSON.stringify({ name: call.function.name, arguments: call.function.arguments }))
      return { type: 'model', response: [[message.content, ...calls].filter((part) => part !== '').join('\n')] }
    }
    case 'tool':
      return { type: 'user', text: `Result of the tool:\n${message.content}` }
    default:
      return { type: 'user', text: message.content }
  }
}

function cardOf(model: LlamaModel, name: string, sizeBytes: number, settings: LlamaSettings): ModelCard {
  const { metadata, fullTensorInfo } = model.fileInfo
  const parameters = (fullTensorInfo ?? []).reduce(
    (sum, tensor) => sum + tensor.dimensions.reduce<number>((product, dim) => product * Number(dim), 1),
    0,
  )
  const architecture = model.architecture
  return {
    name,
    sizeBytes,
    details: {
      parent_model: '',
      format: 'gguf',
      family: architecture,
      families: [architecture],
      parameter_size: parameterSize(parameters),
      quantization_level: quantization(model),
    },
    capabilities: ['completion', ...(settings.toolCallsPerTurn > 0 ? ['tools'] : [])],
    template: metadata.tokenizer?.chat_template ?? '',
    modelInfo: {
      'general.architecture': architecture,
      'general.parameter_count': parameters,
      'general.file_type': metadata.general.file_type ?? null,
      [`${architecture}.context_length`]: model.trainContextSize,
      [`${architecture}.embedding_length`]: model.embeddingVectorSize,
      [`${architecture}.block_count`]: model.fileInsights.totalLayers - 1,
    },
    contextTokens: Math.min(settings.contextTokens, model.trainContextSize),
    embeds: false,
  }
}

function quantization(model: LlamaModel): string {
  return model.typeDescription?.split(' ').at(-1) ?? 'unknown'
}

function parameterSize(count: number): string {
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)}B`
  return count >= 1e6 ? `${(count / 1e6).toFixed(2)}M` : `${(count / 1e3).toFixed(2)}K`
}

function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return (text.split('\n')[0] ?? text).replace(/\.$/, '')
}
