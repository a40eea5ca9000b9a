// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Command } from '../stores/command-store.ts'
import { listenToKeys } from './keyboard.ts'

let ran: string[] = []
let refused: string[] = []
let stop = () => {}

const command = (id: string, chord: string, change: Partial<Command> = {}): Command => ({
  id,
  title: id,
  group: 'Test',
  chord,
  run: () => void ran.push(id),
  ...change,
})

const COMMANDS = [
  command('sweep', 'mod+shift+l'),
  command('metric', '1'),
  command('cancel', 'escape', { refused: 'nothing runs' }),
  command('repeat', 'r', { refused: 'it still runs' }),
  command('open', 'enter'),
]

beforeEach(() => {
  ran = []
  refused = []
  document.body.innerHTML = '<input id="field"><button id="button">b</button><div role="dialog"><p id="inside"></p></div><p id="free"></p>'
  stop = listenToKeys({ commands: () => COMMANDS, onRefused: ({ id }) => void refused.push(id) })
})
afterEach(() => stop())

function press(target: string, key: string, init: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init })
  document.getElementById(target)?.dispatchEvent(event)
  return event.defaultPrevented
}

test('plain keys work in the page and belong to fields, dialogs and whoever took them first', () => {
  expect(press('free', '1')).toBe(true)
  expect(ran).toEqual(['metric'])
  expect(press('field', '1')).toBe(false)
  expect(press('inside', '1')).toBe(false)
  document.getElementById('free')?.addEventListener('keydown', (event) => event.preventDefault())
  press('free', '1')
  expect(ran).toEqual(['metric'])
})

test('chords with a modifier work everywhere, before a terminal or a field sees them', () => {
  let seen = 0
  document.getElementById('field')?.addEventListener('keydown', () => seen++)
  press('field', 'L', { ctrlKey: true, shiftKey: true, code: 'KeyL' })
  expect(ran).toEqual(['sweep'])
  expect(seen).toBe(0)
  press('field', 'c', { ctrlKey: true, code: 'KeyC' })
  expect(seen).toBe(1)
})

test('Enter on a button is the button’s own', () => {
  press('button', 'Enter')
  expect(ran).toEqual([])
  press('free', 'Enter')
  expect(ran).toEqual(['open'])
})

test('what can’t be done now is said, but Esc never complains', () => {
  press('free', 'r')
  press('free', 'Escape')
  expect(ran).toEqual([])
  expect(refused).toEqual(['repeat'])
})

test('a list that is part of the page leaves it Enter and letters; one that floats keeps them', () => {
  document.body.insertAdjacentHTML('beforeend', '<div id="list" role="listbox" data-page-keys></div><div id="choice" role="listbox"></div>')
  press('choice', 'Enter')
  expect(ran).toEqual([])
  press('list', 'Enter')
  press('list', '1')
  expect(ran).toEqual(['open', 'metric'])
})
