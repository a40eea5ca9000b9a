/** What recharts has not: the single sessions as two paths, the load line with the mark, the names of the curves. */
import { createContext, useContext } from 'react'
import { usePlotArea, useXAxisScale, useYAxisScale, ZIndexLayer } from 'recharts'
import { classNames } from '../../ui/class-names.ts'
import { plainMs } from '../../ui/plain-ms.ts'
import type { ChartColumn, ChartDot, ChartModel } from './chart-model.ts'
import styles from './latency-chart.module.css'

const DOT_RADIUS = 1.9
/** Below recharts' lines (400) and above them, in its own order of layers. */
const UNDER_LINES = 350
const OVER_LINES = 900

type Place = { x(value: number): number; y(ms: number): number; left: number; right: number; top: number; bottom: number }

function usePlace(): Place | undefined {
  const scaleX = useXAxisScale()
  const scaleY = useYAxisScale()
  const area = usePlotArea()
  if (scaleX === undefined || scaleY === undefined || area === undefined) return undefined
  return {
    x: (value) => scaleX(value) ?? 0,
    y: (ms) => scaleY(ms) ?? 0,
    left: area.x,
    right: area.x + area.width,
    top: area.y,
    bottom: area.y + area.height,
  }
}

const round = (value: number) => Math.round(value * 10) / 10

/** One path for all circles: a redraw costs one element, however many sessions there are. */
function circles(points: readonly { x: number; y: number }[], radius: number): string {
  return points
    .map(({ x, y }) => `M${round(x - radius)} ${round(y)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`)
    .join('')
}

/** The dots travel beside the chart's own props, so that new ones redraw these two paths and nothing else. */
export const DotsContext = createContext<readonly ChartDot[]>([])

export function SessionDots() {
  const place = usePlace()
  const dots = useContext(DotsContext)
  if (place === undefined) return null
  const at = (holds: boolean) => dots.filter((dot) => dot.holds === holds).map((dot) => ({ x: place.x(dot.x), y: place.y(dot.ms) }))
  return (
    <ZIndexLayer zIndex={UNDER_LINES}>
      <path className={styles.dot} d={circles(at(true), DOT_RADIUS)} />
      <path className={styles.dotMiss} d={circles(at(false), DOT_RADIUS)} />
    </ZIndexLayer>
  )
}

function Ring({ x, y }: { x: number; y: number }) {
  return (
    <g data-mark="load-line">
      <circle className={styles.ringGround} cx={x} cy={y} r={9.5} />
      <circle className={styles.ceiling} cx={x} cy={y} r={7} strokeWidth={2} />
      <path className={styles.ceiling} d={`M${x - 12} ${y}H${x + 12}`} strokeWidth={2} />
    </g>
  )
}

const ceilingText = classNames(styles.ceilingText, styles.halo)

export function LoadLineOverlay({ model }: { model: ChartModel }) {
  const place = usePlace()
  if (place === undefined) return null
  const { loadLine, metric, sloMs } = model
  const withSlo = metric === 'ttfa'
  // The SLO is about ttfa; under the other metrics the mark stands on the axis, at its level.
  const y = withSlo ? place.y(sloMs) : place.bottom
  const x = loadLine.kind === 'found' ? place.x(loadLine.column) : loadLine.kind === 'none-holds' ? place.left + 14 : undefined
  return (
    <ZIndexLayer zIndex={OVER_LINES}>
      {withSlo ? <path className={styles.ceiling} d={`M${place.left} ${y}H${place.right}`} strokeWidth={2} /> : null}
      {loadLine.kind === 'found' && x !== undefined ? (
        <path className={styles.ceiling} d={`M${x} ${withSlo ? y : place.top}V${place.bottom}`} strokeWidth={1} strokeDasharray="2 3" />
      ) : null}
      {x === undefined ? null : <Ring x={x} y={y} />}
      <LoadLineTexts model={model} place={place} y={y} ringX={x} />
      <CurveNames columns={model.columns} place={place} lineY={withSlo ? y : undefined} />
    </ZIndexLayer>
  )
}

/** Room that the words of the SLO take. */
const SLO_WORDS_PX = 150

type TextsProps = { model: ChartModel; place: Place; y: number; ringX: number | undefined }

function LoadLineTexts({ model, place, y, ringX }: TextsProps) {
  const { loadLine, metric, sloMs } = model
  const none = loadLine.kind === 'none-holds'
  const slo = `SLO: ttfa within ${plainMs(sloMs)}${none ? '; no level holds' : ''}`
  // A ring near the left end needs that end for its own words.
  const onRight = loadLine.kind === 'found' && ringX !== undefined && ringX - place.left < SLO_WORDS_PX
  return (
    <>
      {metric === 'ttfa' ? (
        <text className={ceilingText} x={onRight ? place.right - 4 : place.left + (none ? 30 : 8)} y={y - 7} textAnchor={onRight ? 'end' : 'start'}>
          {slo}
        </text>
      ) : null}
      {loadLine.kind === 'found' && ringX !== undefined ? <LoadLineName n={loadLine.n} x={ringX} y={y - 14} place={place} /> : null}
      {loadLine.kind === 'not-reached' && metric === 'ttfa' ? (
        <text className={ceilingText} x={place.right - 4} y={y - 7} textAnchor="end">
          Load line not reached: more than {loadLine.n} sessions
        </text>
      ) : null}
    </>
  )
}

/** Left of the ring where there is room beside the SLO's own words, else right of it. */
function LoadLineName({ n, x, y, place }: { n: number; x: number; y: number; place: Place }) {
  const onLeft = x - place.left > 290
  return (
    <text className={ceilingText} x={onLeft ? x - 16 : x + 16} y={y} textAnchor={onLeft ? 'end' : 'start'}>
      Load line: {n} {n === 1 ? 'session' : 'sessions'}
    </text>
  )
}

const lastWith = (columns: readonly ChartColumn[], key: 'p50' | 'p95') => columns.findLastIndex((column) => column[key] !== null)

/** Words across the SLO would be struck through. */
const CLEAR_OF_LINE_PX = 10

function clearOf(y: number, lineY: number | undefined): number {
  if (lineY === undefined || Math.abs(y - lineY) >= CLEAR_OF_LINE_PX) return y
  return y < lineY ? lineY - CLEAR_OF_LINE_PX : lineY + CLEAR_OF_LINE_PX
}

function CurveNames({ columns, place, lineY }: { columns: readonly ChartColumn[]; place: Place; lineY: number | undefined }) {
  const names = (['p95', 'p50'] as const).flatMap((key) => {
    const index = lastWith(columns, key)
    const end = columns[index]?.[key]
    return end === null || end === undefined ? [] : [{ key, rough: end.rough, x: place.x(index), y: clearOf(place.y(end.ms), lineY) }]
  })
  const [upper, lower] = names
  const close = upper !== undefined && lower !== undefined && lower.y - upper.y < 14
  return names.map((name, i) => (
    <text
      key={name.key}
      className={classNames(styles.name, styles.halo, name.rough && styles.rough)}
      x={Math.min(name.x + 24, place.right - (name.rough ? 54 : 24))}
      y={name.y + 4 + (close ? (i === 0 ? -6 : 8) : 0)}
    >
      {name.rough ? `about ${name.key}` : name.key}
    </text>
  ))
}
