import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boxesOf, neighbourOf, type Pane, type PaneTree, panesOf, paneTreeOf, splitBeside, withoutPane, withSizes } from './pane-tree.ts'

const pane = (id: string): Pane => ({ kind: 'pane', id, content: { kind: 'terminal', terminalId: `t-${id}` } })
const ids = (tree: PaneTree) => panesOf(tree).map((p) => p.id)

/** a | b over c */
const three = splitBeside(splitBeside(pane('a'), 'a', 'row', pane('b'), 's1'), 'b', 'column', pane('c'), 's2')

test('a split puts the new pane behind the one it came from', () => {
  expect(ids(three)).toEqual(['a', 'b', 'c'])
  expect(boxesOf(three)).toEqual([
    { id: 'a', x: 0, y: 0, width: 50, height: 100 },
    { id: 'b', x: 50, y: 0, width: 50, height: 50 },
    { id: 'c', x: 50, y: 50, width: 50, height: 50 },
  ])
})

test('splitting in the direction of the parent halves the room of one pane and leaves the others', () => {
  const tree = splitBeside(splitBeside(pane('a'), 'a', 'row', pane('b'), 's1'), 'b', 'row', pane('c'), 's2')
  expect(boxesOf(tree).map((box) => box.width)).toEqual([50, 25, 25])
})

test('closing a pane gives its room to its neighbours and leaves no split of one', () => {
  const left = withoutPane(three, 'b')
  expect(left && ids(left)).toEqual(['a', 'c'])
  expect(left && withoutPane(left, 'a')).toEqual(pane('c'))
  expect(withoutPane(pane('a'), 'a')).toBeUndefined()
})

test('the neighbour is the pane one looks at in that direction', () => {
  expect(neighbourOf(three, 'a', 'right')).toBe('b')
  expect(neighbourOf(three, 'c', 'left')).toBe('a')
  expect(neighbourOf(three, 'c', 'up')).toBe('b')
  expect(neighbourOf(three, 'a', 'left')).toBeUndefined()
})

test('sizes are taken only when there is one for each child', () => {
  expect(boxesOf(withSizes(three, 's1', [30, 70]))[0]?.width).toBe(30)
  expect(withSizes(three, 's1', [100])).toEqual(three)
})

test('whatever is split and closed, every pane keeps its room and all rooms fill the square', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ at: fc.nat(), row: fc.boolean(), close: fc.boolean() }), { maxLength: 20 }), (steps) => {
      let tree: PaneTree = pane('0')
      steps.forEach((step, index) => {
        const all = ids(tree)
        const target = all[step.at % all.length] ?? ''
        tree = step.close
          ? (withoutPane(tree, target) ?? pane(`r${index}`))
          : splitBeside(tree, target, step.row ? 'row' : 'column', pane(`${index + 1}`), `s${index}`)
      })
      const area = boxesOf(tree).reduce((sum, box) => sum + box.width * box.height, 0)
      expect(Math.abs(area - 10_000)).toBeLessThan(0.001)
      expect(paneTreeOf(JSON.parse(JSON.stringify(tree)))).toEqual(tree)
    }),
  )
})

test('a damaged layout reads as none', () => {
  for (const bad of [
    null,
    7,
    {},
    { kind: 'pane', id: 'a' },
    { kind: 'split', id: 's', direction: 'row', children: [pane('a')] },
    { kind: 'split', id: 's', direction: 'x', children: [] },
  ])
    expect(paneTreeOf(bad)).toBeUndefined()
})
