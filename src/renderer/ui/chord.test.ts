import { expect, test } from 'vitest'
import { chordOf, chordText } from './chord.ts'

const key = (key: string, init: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> & { code?: string } = {}) => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...init,
})

test('Ctrl is the modifier here, Cmd on macOS', () => {
  expect(chordOf(key('l', { ctrlKey: true, shiftKey: true, code: 'KeyL' }), false)).toBe('mod+shift+l')
  expect(chordOf(key('L', { metaKey: true, shiftKey: true, code: 'KeyL' }), true)).toBe('mod+shift+l')
  expect(chordOf(key('k', { ctrlKey: true, code: 'KeyK' }), true)).toBe('ctrl+k')
  expect(chordText('mod+shift+l', true)).toBe('Cmd Shift L')
  expect(chordText('mod+shift+l', false)).toBe('Ctrl Shift L')
})

test('a digit with Alt counts by its place, whatever it prints', () => {
  expect(chordOf(key('™', { altKey: true, code: 'Digit2' }), true)).toBe('alt+2')
})

test('a sign that needs Shift is the sign itself', () => {
  expect(chordOf(key('?', { shiftKey: true, code: 'Slash' }), false)).toBe('?')
})

test('named keys read as words', () => {
  expect(chordText('escape', false)).toBe('Esc')
  expect(chordText('f6', false)).toBe('F6')
  expect(chordText('ctrl+tab', false)).toBe('Ctrl Tab')
})
