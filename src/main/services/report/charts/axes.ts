/** The axes that the charts of a report share. Positions are percent of the plot, so that a chart is as wide as its page and its text keeps its size. */
import { scaleLinear, scaleLog, scalePoint } from 'd3-scale'
import { formatSettingMs } from '../../../../core/report/format-number.ts'
import { html, type Markup, percent } from '../html.ts'

const MOST_WIDTH_PERCENT = 12

/** Where each level stands: evenly, in the order of N, half a step from the edges. */
export type LevelAxis = { readonly levels: readonly number[]; readonly x: (n: number) => number; readonly stepPercent: number }

export function levelAxis(levels: readonly number[]): LevelAxis {
  const scale = scalePoint<number>().domain(levels).range([0, 100]).padding(0.5)
  return { levels, x: (n) => scale(n) ?? 0, stepPercent: 100 / Math.max(1, levels.length) }
}

/** Width of what stands at one level, in percent: a share of its step, but never so much that few levels look like walls. */
export function levelWidth(axis: LevelAxis, share: number): number {
  return Math.min(axis.stepPercent * share, MOST_WIDTH_PERCENT)
}

export function levelTicks(axis: LevelAxis): Markup {
  return html`${axis.levels.map((n) => html`<text class="axis" x="${percent(axis.x(n))}" y="100%" dy="17" text-anchor="middle">${n}</text>`)}`
}

/** Values to percent from the top. */
export type ValueAxis = { readonly y: (value: number) => number; readonly ticks: readonly number[] }

/** 1, 2, 5 of each decade, thinned where a chart would have more than about nine. */
export function logMsAxis(values: readonly number[]): ValueAxis {
  const positive = values.filter((value) => Number.isFinite(value) && value > 0)
  const low = Math.max(0.1, Math.min(...positive, 1e9))
  const high = Math.max(...positive, low)
  const steps = niceSteps(low, high)
  const scale = scaleLog()
    .domain([steps[0] ?? 1, steps.at(-1) ?? 10])
    .range([100, 0])
    .clamp(true)
  const shown = steps.length > 9 ? steps.filter((step) => isPowerOfTen(step)) : steps
  return { y: (value) => scale(Math.max(value, 1e-3)), ticks: shown }
}

const isPowerOfTen = (value: number) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9

/** All of 1, 2, 5 × 10^k that bracket [low, high], at least three of them. */
function niceSteps(low: number, high: number): number[] {
  const all = Array.from({ length: 12 }, (_, k) => [1, 2, 5].map((digit) => digit * 10 ** (k - 2))).flat()
  const from = Math.max(
    0,
    all.findLastIndex((step) => step <= low * 1.001),
  )
  const found = all.findIndex((step) => step >= high * 0.999)
  const to = Math.max(found === -1 ? all.length - 1 : found, from + 2)
  return all.slice(from, to + 1)
}

/** From 0 to a round value above the largest. */
export function linearMsAxis(largest: number): ValueAxis {
  const scale = scaleLinear()
    .domain([0, largest > 0 ? largest : 1])
    .nice(5)
    .range([100, 0])
  return { y: scale, ticks: scale.ticks(5) }
}

/** Hairlines with their values at the left, outside the plot. */
export function msGrid(axis: ValueAxis): Markup {
  const zero = Math.max(...axis.ticks.map(axis.y))
  return html`${axis.ticks.map((tick) => {
    const y = percent(axis.y(tick))
    return html`<line class="${axis.y(tick) === zero ? 'base' : 'grid'}" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="axis" x="-8" y="${y}" dy="4" text-anchor="end">${tick === 0 ? '0 s' : formatSettingMs(tick)}</text>`
  })}`
}

/** A nested drawing in which 0 to 100 is the whole plot in both directions; for paths, whose points can't be percent. */
export function stretched(content: Markup): Markup {
  return html`<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none" class="stretched">${content}</svg>`
}

/** Stands in every chart of a simulated server. */
export function simulatedLabel(simulated: boolean): Markup | null {
  return simulated ? html`<text class="simulated" x="100%" y="0" dy="-8" text-anchor="end">simulated</text>` : null
}
