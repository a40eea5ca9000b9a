import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGgufFileInfo } from 'node-llama-cpp'
import { expect, test } from 'vitest'
import { ensureTinyGguf, makeTinyGguf, TINY_SHAPES } from './tiny-gguf.ts'

const tiny = TINY_SHAPES['plimsoll-tiny']
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('the same shape gives the same bytes, another seed other weights', () => {
  const first = makeTinyGguf(tiny)
  expect(hash(makeTinyGguf(tiny))).toBe(hash(first))
  expect(hash(makeTinyGguf({ ...tiny, seed: 2 }))).not.toBe(hash(first))
  expect(first.subarray(0, 4).toString()).toBe('GGUF')
})

test.each(['f32', 'f16', 'q8_0'] as const)('a file of %s weights is as long as its table says', async (type) => {
  const bytes = makeTinyGguf({ ...tiny, layers: 1, type })
  const dir = await mkdtemp(join(tmpdir(), 'plimsoll-gguf-'))
  const path = join(dir, 'x.gguf')
  await writeFile(path, bytes)
  const info = await readGgufFileInfo(path)
  const last = info.tensorInfo?.at(-1)
  expect(info.tensorInfo).toHaveLength(12)
  expect(last?.name).toBe('output.weight')
  const elements = (last?.dimensions ?? []).reduce<number>((product, dim) => product * Number(dim), 1)
  const lastBytes = { f32: elements * 4, f16: elements * 2, q8_0: (elements / 32) * 34 }[type]
  expect(bytes.length).toBe(Math.ceil((Number(last?.fileOffset ?? 0) + lastBytes) / 32) * 32)
  await rm(dir, { recursive: true })
})

test('is written once, whole, with nothing left over, also when two ask at once', async () => {
  const dir = join(await mkdtemp(join(tmpdir(), 'plimsoll-gguf-')), 'new', 'folder')
  const [a, b] = await Promise.all([ensureTinyGguf(dir, 'plimsoll-tiny'), ensureTinyGguf(dir, 'plimsoll-tiny')])
  expect(a).toBe(b)
  expect(await readdir(dir)).toHaveLength(1)
  expect(hash(await readFile(a))).toBe(hash(makeTinyGguf(tiny)))
})
