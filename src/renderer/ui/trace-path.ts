/** A series as an SVG path in a box of 100 by `height`. Pure, shared by sparklines and the traces under lanes. */

export type TracePoint = { readonly x: number; readonly y: number | null }

type TraceBox = { readonly fromX: number; readonly toX: number; readonly maxY: number; readonly height: number }

const round = (value: number) => Math.round(value * 100) / 100

/** @returns the line, and the same closed down to the base; a null parts the line. Empty strings for no points. */
export function tracePath(points: readonly TracePoint[], box: TraceBox): { line: string; area: string } {
  const span = Math.max(1e-9, box.toX - box.fromX)
  const top = Math.max(1e-9, box.maxY)
  let line = ''
  let area = ''
  let startX: number | undefined
  let lastX = 0
  const close = () => {
    if (startX !== undefined) area += `L${lastX} ${box.height}L${startX} ${box.height}z`
    startX = undefined
  }
  for (const point of points) {
    if (point.y === null || point.x < box.fromX || point.x > box.toX) {
      close()
      continue
    }
    const x = round(((point.x - box.fromX) / span) * 100)
    const y = round(box.height - 1 - (Math.min(point.y, top) / top) * (box.height - 2.5))
    const step = startX === undefined ? 'M' : 'L'
    line += `${step}${x} ${y}`
    area += `${step}${x} ${y}`
    startX ??= x
    lastX = x
  }
  close()
  return { line, area }
}
