/** Turns in flight and waiting over the last minute, against the limit. */
import type { Sample } from '../../../core/metric/sample.ts'
import styles from './dock.module.css'

const SPAN_MS = 60_000
const HEIGHT = 60

/** A staircase: each sample holds until the next one. */
function stairs(samples: readonly Sample[], value: (sample: Sample) => number, base: (sample: Sample) => number, top: number, nowMs: number): string {
  const x = (atMs: number) => Math.max(0, 100 - ((nowMs - atMs) / SPAN_MS) * 100)
  const y = (count: number) => HEIGHT - (count / top) * HEIGHT
  return samples
    .map((sample, index) => {
      const from = x(sample.atMs)
      const to = index + 1 < samples.length ? x(samples[index + 1]?.atMs ?? nowMs) : 100
      const height = y(base(sample)) - y(base(sample) + value(sample))
      return height <= 0 ? '' : `M${from} ${y(base(sample))}H${to}v${-height}H${from}z`
    })
    .join('')
}

export function InFlightChart({ samples }: { samples: readonly Sample[] }) {
  const last = samples.at(-1)
  const top = Math.max(4, ...samples.map((sample) => sample.runner.inFlight + sample.runner.queued))
  const nowMs = last?.atMs ?? 0
  return (
    <section className={styles.mini} aria-label="Turns in flight and queued, the last minute">
      <header>
        <h3>In flight, queued</h3>
        <span className={styles.figures}>
          <b>{last?.runner.inFlight ?? 0}</b> in flight <b>{last?.runner.queued ?? 0}</b> queued
        </span>
      </header>
      <div className={styles.plot} aria-hidden="true">
        <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" className={styles.stairs} aria-hidden="true">
          <path
            d={stairs(
              samples,
              (s) => s.runner.inFlight,
              () => 0,
              top,
              nowMs,
            )}
            style={{ fill: 'var(--dot)' }}
          />
          <path
            d={stairs(
              samples,
              (s) => s.runner.queued,
              (s) => s.runner.inFlight,
              top,
              nowMs,
            )}
            style={{ fill: 'url(#pt-queue)' }}
          />
        </svg>
      </div>
    </section>
  )
}
