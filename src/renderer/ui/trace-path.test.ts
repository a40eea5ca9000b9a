import { expect, test } from 'vitest'
import { tracePath } from './trace-path.ts'

const box = { fromX: 0, toX: 100, maxY: 10, height: 16 }

test('no points are no path', () => {
  expect(tracePath([], box)).toEqual({ line: '', area: '' })
})

test('a gap parts the line and closes the area before it', () => {
  const { line, area } = tracePath(
    [
      { x: 0, y: 1 },
      { x: 10, y: 2 },
      { x: 20, y: null },
      { x: 30, y: 3 },
    ],
    box,
  )
  expect(line.match(/M/g)).toHaveLength(2)
  expect(area.match(/z/g)).toHaveLength(2)
})

test('what lies outside the window is left out, and what exceeds the top is cut to it', () => {
  const { line } = tracePath(
    [
      { x: -5, y: 1 },
      { x: 50, y: 99 },
    ],
    box,
  )
  expect(line).toBe('M50 1.5')
})
