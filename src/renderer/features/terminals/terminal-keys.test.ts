import { expect, test } from 'vitest'
import { isAppChord } from './terminal-keys.ts'

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }

test('Ctrl letters belong to the program in the pane, all but the palette’s', () => {
  for (const key of 'abcdefghijlmnopqrstuvwxyz') expect(isAppChord({ ...none, ctrlKey: true, key }), key).toBe(false)
  expect(isAppChord({ ...none, ctrlKey: true, key: 'k' })).toBe(true)
})

test('Ctrl Shift letters of the app, Alt digits and Alt arrows belong to the app', () => {
  expect(isAppChord({ ...none, ctrlKey: true, shiftKey: true, key: 'L' })).toBe(true)
  expect(isAppChord({ ...none, altKey: true, key: '2' })).toBe(true)
  expect(isAppChord({ ...none, altKey: true, key: 'ArrowLeft' })).toBe(true)
  expect(isAppChord({ ...none, key: 'F6' })).toBe(true)
})

test('copying and pasting stay with the terminal', () => {
  for (const key of ['C', 'V']) expect(isAppChord({ ...none, ctrlKey: true, shiftKey: true, key })).toBe(false)
})
