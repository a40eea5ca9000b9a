import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** First values; what a page says of print stands further down. */
function valuesIn(path: string): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, path), 'utf8')
  const values = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/(--[\w-]+):\s*([^;]+);/g))
    if (!values.has(name)) values.set(name, value.replaceAll('"', "'").replace(/\s+/g, ' ').trim())
  return values
}

test('a report has the colours, sizes and families of the page itself', () => {
  const page = valuesIn('../../../renderer/ui/tokens.css')
  const report = valuesIn('tokens.css')
  expect(report.size).toBeGreaterThan(30)
  for (const [name, value] of report) expect([name, value]).toEqual([name, page.get(name)])
})

test('a report’s style has no colour of its own, but the white of paper', () => {
  const style = readFileSync(join(import.meta.dirname, 'report.css'), 'utf8')
  expect([...style.matchAll(/#[0-9a-f]{3,8}\b|rgb|hsl/g)].map(String).filter((color) => color !== '#fff')).toEqual([])
})
