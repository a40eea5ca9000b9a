import { expect, test } from 'vitest'
import { printable } from './printable.ts'

test('no escape, no line end and no turned reading direction of a name reaches the terminal; all other letters do', () => {
  expect(printable('a\u001b[31mb\r\nc\u202ed\u2066e')).toBe('a [31mb c d e')
  expect(printable('Größe 模型 עברית <b>')).toBe('Größe 模型 עברית <b>')
})
