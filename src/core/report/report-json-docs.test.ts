import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { reportJsonSchema } from './report-json.ts'

/** All names of members in a JSON schema, however deep. */
function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: Record<string, unknown> }
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(namesIn)]
}

test('docs/sweep-json.md names every field of the object', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/sweep-json.md'), 'utf8')
  const names = [...new Set(namesIn(z.toJSONSchema(reportJsonSchema)))]
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !page.includes(name))).toEqual([])
})
