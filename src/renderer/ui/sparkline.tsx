/** The last seconds of one number, a line over its area. A young one is only as long as it ran; one without data is dotted. */
import { classNames } from './class-names.ts'
import styles from './sparkline.module.css'
import { type TracePoint, tracePath } from './trace-path.ts'

type SparklineProps = {
  points: readonly TracePoint[]
  fromX: number
  toX: number
  maxY: number
  width: number | string
  height: number
  className?: string | undefined
}

export function Sparkline({ points, fromX, toX, maxY, width, height, className }: SparklineProps) {
  const path = tracePath(points, { fromX, toX, maxY, height })
  return (
    <svg
      className={classNames(styles.svg, className)}
      width={width}
      height={height}
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {path.line === '' ? <path className={classNames(styles.line, styles.gone)} d={`M0 ${height - 1}H100`} /> : null}
      <path className={styles.area} d={path.area} />
      <path className={styles.line} d={path.line} />
    </svg>
  )
}
