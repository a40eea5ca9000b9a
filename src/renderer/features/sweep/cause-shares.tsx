/** Causes with their shares of the added time: what the verdict weighs while it is open, and the parts that grew. */
import type { Analysis, Candidate, Part } from '../../../core/analysis/analysis.ts'
import { formatRatio } from '../../../core/report/format-number.ts'
import { PART_WORDS, VERDICT_WORDS } from '../../../core/report/words.ts'
import styles from './verdict-panel.module.css'

/** Whose share it is, named as the verdict names it. */
const GROWTH_WORDS: Readonly<Record<Part, string>> = {
  runner: 'Runner process',
  admission: 'Runner’s own limit',
  queue: 'Model server queue',
  load: 'Model load',
  swap: 'Model swap',
  prefill: 'Prefill',
  neighbourPrefill: 'Neighbours’ prefill',
  decode: 'Decode',
  tools: 'Tools',
  background: 'Background work',
}

/** Shares too small to read are left out; they are in the report. */
const LEAST_SHARE = 0.005
const MOST_PARTS = 4

/** A bound stands behind its number, so without the unit. */
const percentOf = (ratio: number) => formatRatio(ratio).replace(' %', '')

export function Growth({ growth }: { growth: NonNullable<Analysis['growth']> }) {
  const parts = [...growth.parts]
    .sort((a, b) => b.share.value - a.share.value)
    .filter((part) => part.share.value >= LEAST_SHARE)
    .slice(0, MOST_PARTS)
  if (parts.length === 0) return null
  return (
    <div className={styles.body}>
      <h3>
        Share of the growth of wall, N = {growth.toN} against N = {growth.fromN}
      </h3>
      <ol className={styles.growth}>
        {parts.map(({ part, share }) => (
          <ShareRow key={part} name={GROWTH_WORDS[part]} meaning={PART_WORDS[part].meaning} share={share} />
        ))}
      </ol>
    </div>
  )
}

export function Candidates({ candidates }: { candidates: readonly Candidate[] }) {
  return (
    <div className={styles.body}>
      <h3>Candidates, by share of the added time</h3>
      <ol className={styles.growth}>
        {candidates.slice(0, MOST_PARTS).map(({ code, share }) => (
          <ShareRow key={code} name={VERDICT_WORDS[code]} share={share} />
        ))}
      </ol>
    </div>
  )
}

type ShareRowProps = { name: string; meaning?: string; share: Candidate['share'] }

function ShareRow({ name, meaning, share }: ShareRowProps) {
  return (
    <li title={meaning}>
      <span>{name}</span>
      <span>
        <b>{formatRatio(share.value)}</b>
        {percentOf(share.low)} to {percentOf(share.high)}
      </span>
      <i style={{ width: `${Math.max(0, Math.min(100, share.value * 100))}%` }} />
    </li>
  )
}
