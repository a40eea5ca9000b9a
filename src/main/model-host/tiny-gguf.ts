/**
 * Makes the models that Plimsoll brings along: Llama architecture, seeded random weights, so word salad but real load. Same shape, same bytes.
 * The output rows of control, byte and prefix tokens are zero and those of whole words random: the end-of-turn token practically
 * never wins, and an answer runs to num_predict, which makes it a repeatable load.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeGguf, encodeWeights, type MetadataValue, type Tensor, type TensorType } from './gguf/gguf-writer.ts'
import { makeVocabulary, type Vocabulary } from './gguf/tiny-vocabulary.ts'
import { seededRandom } from './seeded-random.ts'

export interface TinyShape {
  readonly name: string
  readonly dim: number
  readonly layers: number
  readonly heads: number
  /** Key/value heads, a divisor of `heads`. */
  readonly kvHeads: number
  readonly feedForward: number
  /** Longest context the model claims, tokens. */
  readonly contextTokens: number
  readonly type: TensorType
  readonly seed: number
}

/** `tiny` is 1 MB, some 1,500 tokens/s on one core; `mid` is 27 MB, some 450 tokens/s, so that its load can be seen. */
export const TINY_SHAPES = {
  'plimsoll-tiny': shape({ name: 'plimsoll-tiny', dim: 128, layers: 4, heads: 4, kvHeads: 2, feedForward: 384 }),
  'plimsoll-mid': shape({ name: 'plimsoll-mid', dim: 512, layers: 8, heads: 8, kvHeads: 4, feedForward: 1536 }),
} as const satisfies Record<string, TinyShape>
export type TinyModelName = keyof typeof TINY_SHAPES

/** Raised when the bytes made from a shape change, so that a cached file of before is not taken for it. */
const GENERATOR_VERSION = 1

const CHAT_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

function shape(part: Pick<TinyShape, 'name' | 'dim' | 'layers' | 'heads' | 'kvHeads' | 'feedForward'>): TinyShape {
  return { contextTokens: 4096, type: 'q8_0', seed: 1, ...part }
}

export function makeTinyGguf(tiny: TinyShape): Buffer {
  const vocabulary = makeVocabulary()
  return encodeGguf(metadataOf(tiny, vocabulary), tensorsOf(tiny, vocabulary))
}

/**
 * Path of the model's file in `dir`, made there if it is not, whole or not at all, in up to 2 s for `plimsoll-mid`.
 * Two processes that make it at once do no harm: the bytes are the same. Rejects when the folder can't be written.
 */
export async function ensureTinyGguf(dir: string, name: TinyModelName): Promise<string> {
  const path = join(dir, `${name}-v${GENERATOR_VERSION}.gguf`)
  const there = await stat(path).catch(() => undefined)
  if (there !== undefined && there.size > 0) return path
  await mkdir(dir, { recursive: true })
  const unfinished = `${path}.${randomUUID()}.part`
  await writeFile(unfinished, makeTinyGguf(TINY_SHAPES[name]))
  await rename(unfinished, path)
  return path
}

function tensorsOf(tiny: TinyShape, vocabulary: Vocabulary): Tensor[] {
  const random = seededRandom(tiny.seed)
  const { dim, feedForward } = tiny
  const kvDim = tiny.kvHeads * (dim / tiny.heads)
  const spread = 1 / Math.sqrt(dim)

  const matrix = (name: string, columns: number, rows: number, deviation: number, liveRow: (row: number) => boolean = () => true): Tensor => {
    const weights = new Float32Array(columns * rows)
    for (let row = 0; row < rows; row++) {
      if (!liveRow(row)) continue
      for (let column = 0; column < columns; column++) weights[row * columns + column] = random.gauss() * deviation
    }
    return { name, dims: [columns, rows], type: tiny.type, data: encodeWeights(weights, tiny.type) }
  }
  const norm = (name: string): Tensor => ({ name, dims: [dim], type: 'f32', data: encodeWeights(new Float32Array(dim).fill(1), 'f32') })

  const layer = (index: number): Tensor[] => {
    const at = `blk.${index}.`
    return [
      norm(`${at}attn_norm.weight`),
      matrix(`${at}attn_q.weight`, dim, dim, spread),
      matrix(`${at}attn_k.weight`, dim, kvDim, spread),
      matrix(`${at}attn_v.weight`, dim, kvDim, spread),
      matrix(`${at}attn_output.weight`, dim, dim, spread),
      norm(`${at}ffn_norm.weight`),
      matrix(`${at}ffn_gate.weight`, dim, feedForward, spread),
      matrix(`${at}ffn_up.weight`, dim, feedForward, spread),
      matrix(`${at}ffn_down.weight`, feedForward, dim, 1 / Math.sqrt(feedForward)),
    ]
  }
  return [
    matrix('token_embd.weight', dim, vocabulary.tokens.length, 1),
    ...Array.from({ length: tiny.layers }, (_, index) => layer(index)).flat(),
    norm('output_norm.weight'),
    matrix('output.weight', dim, vocabulary.tokens.length, 3 * spread, (row) => vocabulary.tokens[row]?.spoken === true),
  ]
}

function metadataOf(tiny: TinyShape, vocabulary: Vocabulary): Record<string, MetadataValue> {
  const u32 = (value: number): MetadataValue => ({ kind: 'u32', value })
  const f32 = (value: number): MetadataValue => ({ kind: 'f32', value })
  const text = (value: string): MetadataValue => ({ kind: 'text', value })
  const yes = (value: boolean): MetadataValue => ({ kind: 'bool', value })
  return {
    'general.architecture': text('llama'),
    'general.name': text(tiny.name),
    'general.file_type': u32({ f32: 0, f16: 1, q8_0: 7 }[tiny.type]),
    'general.alignment': u32(32),
    'llama.vocab_size': u32(vocabulary.tokens.length),
    'llama.context_length': u32(tiny.contextTokens),
    'llama.embedding_length': u32(tiny.dim),
    'llama.block_count': u32(tiny.layers),
    'llama.feed_forward_length': u32(tiny.feedForward),
    'llama.attention.head_count': u32(tiny.heads),
    'llama.attention.head_count_kv': u32(tiny.kvHeads),
    'llama.attention.layer_norm_rms_epsilon': f32(1e-5),
    'llama.rope.dimension_count': u32(tiny.dim / tiny.heads),
    'llama.rope.freq_base': f32(10_000),
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.pre': text('default'),
    'tokenizer.ggml.tokens': { kind: 'texts', value: vocabulary.tokens.map((t) => t.text) },
    'tokenizer.ggml.scores': { kind: 'f32s', value: vocabulary.tokens.map((t) => t.score) },
    'tokenizer.ggml.token_type': { kind: 'i32s', value: vocabulary.tokens.map((t) => t.type) },
    'tokenizer.ggml.bos_token_id': u32(1),
    'tokenizer.ggml.eos_token_id': u32(vocabulary.endOfTurn),
    'tokenizer.ggml.unknown_token_id': u32(0),
    'tokenizer.ggml.add_bos_token': yes(true),
    'tokenizer.ggml.add_eos_token': yes(false),
    'tokenizer.ggml.add_space_prefix': yes(true),
    'tokenizer.chat_template': text(CHAT_TEMPLATE),
  }
}
