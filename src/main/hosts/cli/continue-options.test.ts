import { expect, test } from 'vitest'
import { readContinueFlags } from './continue-options.ts'

test('resume and extend are read with what they need; anything else is a new sweep', () => {
  expect(readContinueFlags({})).toEqual({ ok: true, value: null })
  expect(readContinueFlags({ resume: 'last' })).toEqual({ ok: true, value: { kind: 'resume', which: 'last' } })
  expect(readContinueFlags({ extend: '7', level: '8' })).toEqual({ ok: true, value: { kind: 'extend', which: '7', n: 8, waves: 5 } })
  expect(readContinueFlags({ extend: '7', level: '8', waves: '2' })).toMatchObject({ value: { waves: 2 } })
})

test('what does not go together is said, with how it would', () => {
  const codes = (flags: Parameters<typeof readContinueFlags>[0]) => {
    const read = readContinueFlags(flags)
    return read.ok ? [] : read.error.map(({ code, todo }) => `${code} ${todo.includes('--extend last --level 8')}`)
  }
  expect(codes({ resume: '1', extend: '2', level: '8' })).toEqual(['options-clash true'])
  expect(codes({ extend: '2' })).toEqual(['options-clash true'])
  expect(codes({ level: '8' })).toEqual(['options-clash true'])
  expect(codes({ extend: '2', level: 'many' })).toEqual(['option-invalid false'])
})
