import { expect, test } from 'vitest'
import { psSchema, showSchema, tagsSchema, versionSchema } from './documents.ts'
import { chatRequestSchema, generateRequestSchema } from './requests.ts'

test('documents of real servers pass, with fields that nobody asked for', () => {
  const details = { parent_model: '', format: 'gguf', family: 'llama', families: ['llama'], parameter_size: '25.9M', quantization_level: 'Q8_0' }
  expect(versionSchema.parse({ version: '0.0.0' })).toEqual({ version: '0.0.0' })
  expect(tagsSchema.parse({ models: [{ name: 'mid:latest', model: 'mid:latest', size: 1, digest: 'x', details, extra: 1 }] }).models).toHaveLength(1)
  expect(psSchema.parse({ models: null }).models).toEqual([])
  expect(showSchema.parse({ details, capabilities: ['completion'], model_info: null }).capabilities).toEqual(['completion'])
})

test('a page of HTML or a foreign document does not pass for an answer', () => {
  expect(versionSchema.safeParse('<html>').success).toBe(false)
  expect(tagsSchema.safeParse({ models: [{}] }).success).toBe(false)
})

test('a chat request may leave out nearly everything', () => {
  expect(chatRequestSchema.parse({ model: 'm' })).toEqual({ model: 'm', messages: [], tools: [] })
  expect(
    chatRequestSchema.parse({ model: 'm', messages: [{ role: 'user', content: 'x' }], think: null, options: null, extra: 1 }).messages,
  ).toHaveLength(1)
  expect(generateRequestSchema.parse({ model: 'm' }).prompt).toBe('')
  expect(chatRequestSchema.safeParse({ model: 'm', messages: 'x' }).success).toBe(false)
})
