/** Writes a GGUF v3 file into memory: metadata, tensor table, tensor data in f32, f16 or q8_0. Knows nothing of vocabularies or layers. */

export type TensorType = 'f32' | 'f16' | 'q8_0'

export type MetadataValue =
  | { readonly kind: 'u32' | 'f32'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'texts'; readonly value: readonly string[] }
  | { readonly kind: 'f32s' | 'i32s'; readonly value: readonly number[] }

export interface Tensor {
  readonly name: string
  /** In GGUF's order: the fastest dimension first. */
  readonly dims: readonly number[]
  readonly type: TensorType
  readonly data: Buffer
}

/** Numbers of the GGUF specification (ggml-org/ggml, docs/gguf.md). */
const TENSOR_TYPE_CODE: Record<TensorType, number> = { f32: 0, f16: 1, q8_0: 8 }
const VALUE_TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8, array: 9 } as const
const ALIGNMENT_BYTES = 32
/** Weights that share one scale in q8_0. */
const Q8_BLOCK = 32

export function encodeGguf(metadata: Readonly<Record<string, MetadataValue>>, tensors: readonly Tensor[]): Buffer {
  const head = createByteSink()
  head.raw(Buffer.from('GGUF'))
  head.u32(3)
  head.u64(tensors.length)
  head.u64(Object.keys(metadata).length)
  for (const [key, value] of Object.entries(metadata)) writeMetadata(head, key, value)
  let offset = 0
  for (const tensor of tensors) {
    head.text(tensor.name)
    head.u32(tensor.dims.length)
    for (const dim of tensor.dims) head.u64(dim)
    head.u32(TENSOR_TYPE_CODE[tensor.type])
    head.u64(offset)
    offset += tensor.data.length + padding(tensor.data.length)
  }
  head.raw(Buffer.alloc(padding(head.size())))
  return Buffer.concat([...head.parts(), ...tensors.flatMap((t) => [t.data, Buffer.alloc(padding(t.data.length))])])
}

export function encodeWeights(weights: Float32Array, type: TensorType): Buffer {
  switch (type) {
    case 'f32':
      return Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength)
    case 'f16':
      return encodeF16(weights)
    case 'q8_0':
      return encodeQ8(weights)
  }
}

const padding = (bytes: number) => (ALIGNMENT_BYTES - (bytes % ALIGNMENT_BYTES)) % ALIGNMENT_BYTES

function createByteSink() {
  const parts: Buffer[] = []
  let size = 0
  const raw = (bytes: Buffer) => {
    parts.push(bytes)
    size += bytes.length
  }
  const number = (length: number, write: (bytes: Buffer) => void) => {
    const bytes = Buffer.alloc(length)
    write(bytes)
    raw(bytes)
  }
  const sink = {
    raw,
    u32: (n: number) => number(4, (b) => b.writeUInt32LE(n)),
    i32: (n: number) => number(4, (b) => b.writeInt32LE(n)),
    u64: (n: number) => number(8, (b) => b.writeBigUInt64LE(BigInt(n))),
    f32: (n: number) => number(4, (b) => b.writeFloatLE(n)),
    text(value: string) {
      const bytes = Buffer.from(value)
      sink.u64(bytes.length)
      raw(bytes)
    },
    size: () => size,
    parts: () => parts,
  }
  return sink
}

function writeMetadata(sink: ReturnType<typeof createByteSink>, key: string, entry: MetadataValue): void {
  const list = <T>(type: number, values: readonly T[], write: (value: T) => void) => {
    sink.u32(VALUE_TYPE.array)
    sink.u32(type)
    sink.u64(values.length)
    for (const value of values) write(value)
  }
  sink.text(key)
  switch (entry.kind) {
    case 'u32':
    case 'f32':
      sink.u32(VALUE_TYPE[entry.kind])
      sink[entry.kind](entry.value)
      break
    case 'bool':
      sink.u32(VALUE_TYPE.bool)
      sink.raw(Buffer.from([entry.value ? 1 : 0]))
      break
    case 'text':
      sink.u32(VALUE_TYPE.text)
      sink.text(entry.value)
      break
    case 'texts':
      list(VALUE_TYPE.text, entry.value, sink.text)
      break
    case 'f32s':
      list(VALUE_TYPE.f32, entry.value, sink.f32)
      break
    case 'i32s':
      list(VALUE_TYPE.i32, entry.value, sink.i32)
      break
  }
}

function encodeF16(weights: Float32Array): Buffer {
  const out = Buffer.alloc(weights.length * 2)
  for (let i = 0; i < weights.length; i++) out.writeUInt16LE(toF16(weights[i] ?? 0), i * 2)
  return out
}

/** Blocks of 32: one f16 scale, then 32 signed bytes. */
function encodeQ8(weights: Float32Array): Buffer {
  const out = Buffer.alloc((weights.length / Q8_BLOCK) * (Q8_BLOCK + 2))
  for (let block = 0; block < weights.length / Q8_BLOCK; block++) {
    let largest = 0
    for (let i = 0; i < Q8_BLOCK; i++) largest = Math.max(largest, Math.abs(weights[block * Q8_BLOCK + i] ?? 0))
    const half = toF16(largest / 127)
    const scale = fromF16(half)
    const at = block * (Q8_BLOCK + 2)
    out.writeUInt16LE(half, at)
    for (let i = 0; i < Q8_BLOCK; i++) {
      const level = scale === 0 ? 0 : Math.round((weights[block * Q8_BLOCK + i] ?? 0) / scale)
      out.writeInt8(Math.max(-127, Math.min(127, level)), at + 2 + i)
    }
  }
  return out
}

const floatBox = new Float32Array(1)
const bitsBox = new Uint32Array(floatBox.buffer)

/** Rounds to nearest; what is too small for a normal half becomes zero, what is too large the largest half. */
function toF16(value: number): number {
  floatBox[0] = value
  const bits = bitsBox[0] ?? 0
  const sign = (bits >>> 16) & 0x8000
  let exponent = ((bits >>> 23) & 0xff) - 112
  let mantissa = (bits & 0x7fffff) + 0x1000
  if ((mantissa & 0x800000) !== 0) {
    mantissa = 0
    exponent += 1
  }
  if (exponent <= 0) return sign
  return exponent >= 31 ? sign | 0x7bff : sign | (exponent << 10) | (mantissa >>> 13)
}

function fromF16(half: number): number {
  if ((half & 0x7fff) === 0) return 0
  return ((half & 0x8000) !== 0 ? -1 : 1) * 2 ** (((half >>> 10) & 31) - 15) * (1 + (half & 1023) / 1024)
}
