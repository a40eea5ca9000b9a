/**
 * How the panes of one tab lie: a tree of splits with panes as leaves, as plain data. Pure; the page draws it, main keeps it as JSON.
 * A tree is never empty; a tab without panes has no tree.
 */

/** What a pane shows. */
export type PaneContent = { readonly kind: 'terminal'; readonly terminalId: string } | { readonly kind: 'chat'; readonly sessionId: string }

export type Pane = { readonly kind: 'pane'; readonly id: string; readonly content: PaneContent }
/** `row`: children side by side. `column`: one above the other. Sizes in percent, one a child, summing to 100. */
export type Split = {
  readonly kind: 'split'
  readonly id: string
  readonly direction: 'row' | 'column'
  readonly children: readonly PaneTree[]
  readonly sizes: readonly number[]
}
export type PaneTree = Pane | Split

export type Direction = 'left' | 'right' | 'up' | 'down'

export function panesOf(tree: PaneTree): Pane[] {
  return tree.kind === 'pane' ? [tree] : tree.children.flatMap(panesOf)
}

const evenly = (count: number): number[] => Array.from({ length: count }, () => 100 / count)

/**
 * Puts `pane` right of or below the pane `besideId`, which gives up half of its room.
 * @returns the same tree when `besideId` is not in it
 */
export function splitBeside(tree: PaneTree, besideId: string, direction: 'row' | 'column', pane: Pane, splitId: string): PaneTree {
  if (tree.kind === 'pane') {
    return tree.id === besideId ? { kind: 'split', id: splitId, direction, children: [tree, pane], sizes: [50, 50] } : tree
  }
  const at = tree.children.findIndex((child) => child.kind === 'pane' && child.id === besideId)
  if (at !== -1 && tree.direction === direction) {
    const half = (tree.sizes[at] ?? 0) / 2
    return {
      ...tree,
      children: [...tree.children.slice(0, at + 1), pane, ...tree.children.slice(at + 1)],
      sizes: [...tree.sizes.slice(0, at), half, half, ...tree.sizes.slice(at + 1)],
    }
  }
  return { ...tree, children: tree.children.map((child) => splitBeside(child, besideId, direction, pane, splitId)) }
}

/** @returns undefined when it was the last pane */
export function withoutPane(tree: PaneTree, paneId: string): PaneTree | undefined {
  if (tree.kind === 'pane') return tree.id === paneId ? undefined : tree
  const kept = tree.children.map((child) => withoutPane(child, paneId))
  const children = kept.filter((child) => child !== undefined)
  if (children.length === 0) return undefined
  const only = children[0]
  if (children.length === 1 && only !== undefined) return only
  const sizes = tree.sizes.filter((_, index) => kept[index] !== undefined)
  const sum = sizes.reduce((a, b) => a + b, 0)
  return { ...tree, children, sizes: sum > 0 ? sizes.map((size) => (size * 100) / sum) : evenly(children.length) }
}

export function withSizes(tree: PaneTree, splitId: string, sizes: readonly number[]): PaneTree {
  if (tree.kind === 'pane') return tree
  if (tree.id === splitId) return sizes.length === tree.children.length ? { ...tree, sizes } : tree
  return { ...tree, children: tree.children.map((child) => withSizes(child, splitId, sizes)) }
}

type Box = { readonly id: string; readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** Where each pane lies in a square of 100 by 100. */
export function boxesOf(tree: PaneTree, x = 0, y = 0, width = 100, height = 100): Box[] {
  if (tree.kind === 'pane') return [{ id: tree.id, x, y, width, height }]
  let offset = 0
  return tree.children.flatMap((child, index) => {
    const share = (tree.sizes[index] ?? 0) / 100
    const began = offset
    offset += share
    return tree.direction === 'row'
      ? boxesOf(child, x + began * width, y, share * width, height)
      : boxesOf(child, x, y + began * height, width, share * height)
  })
}

/** The pane one would look at next in that direction: the nearest that shares an edge's span; undefined at the border. */
export function neighbourOf(tree: PaneTree, paneId: string, direction: Direction): string | undefined {
  const boxes = boxesOf(tree)
  const from = boxes.find((box) => box.id === paneId)
  if (from === undefined) return undefined
  const across = direction === 'left' || direction === 'right'
  const centre = (box: Box) => (across ? box.y + box.height / 2 : box.x + box.width / 2)
  const gap = (box: Box) => {
    switch (direction) {
      case 'left':
        return from.x - (box.x + box.width)
      case 'right':
        return box.x - (from.x + from.width)
      case 'up':
        return from.y - (box.y + box.height)
      case 'down':
        return box.y - (from.y + from.height)
    }
  }
  const overlaps = (box: Box) =>
    across
      ? box.y < from.y + from.height - 0.01 && from.y < box.y + box.height - 0.01
      : box.x < from.x + from.width - 0.01 && from.x < box.x + box.width - 0.01
  return boxes
    .filter((box) => box.id !== paneId && gap(box) > -0.01 && overlaps(box))
    .sort((a, b) => gap(a) - gap(b) || Math.abs(centre(a) - centre(from)) - Math.abs(centre(b) - centre(from)))[0]?.id
}

/** Reads a tree from stored JSON; anything that does not fit gives undefined, so that a damaged layout costs the layout and nothing else. */
export function paneTreeOf(value: unknown): PaneTree | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const node = value as Record<string, unknown>
  if (typeof node.id !== 'string') return undefined
  if (node.kind === 'pane') {
    const content = node.content as Record<string, unknown> | null | undefined
    if (content?.kind === 'terminal' && typeof content.terminalId === 'string')
      return { kind: 'pane', id: node.id, content: { kind: 'terminal', terminalId: content.terminalId } }
    if (content?.kind === 'chat' && typeof content.sessionId === 'string')
      return { kind: 'pane', id: node.id, content: { kind: 'chat', sessionId: content.sessionId } }
    return undefined
  }
  if (node.kind !== 'split' || (node.direction !== 'row' && node.direction !== 'column') || !Array.isArray(node.children)) return undefined
  const children = node.children.map(paneTreeOf)
  if (children.length < 2 || children.some((child) => child === undefined)) return undefined
  const sizes =
    Array.isArray(node.sizes) && node.sizes.length === children.length && node.sizes.every((size) => typeof size === 'number' && size > 0)
      ? node.sizes
      : evenly(children.length)
  return { kind: 'split', id: node.id, direction: node.direction, children: children as PaneTree[], sizes: sizes as number[] }
}
