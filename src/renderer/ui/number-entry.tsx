/** A number with its unit in a small field. What can't be read stays as typed, with the reason under it; nothing changes until it can. */
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { classNames } from './class-names.ts'
import styles from './entry.module.css'

type NumberEntryProps = {
  label: string
  value: number
  /** Behind the number: "s", "%". */
  unit: string
  /** Why a number can't stand, or undefined when it can. */
  check(value: number): string | undefined
  onChange(value: number): void
  width?: number
}

const read = (text: string, unit: string): number => {
  const bare = text.trim().replace(unit, '').trim().replace(',', '.')
  return bare === '' ? Number.NaN : Number(bare)
}

export function NumberEntry({ label, value, unit, check, onChange, width = 64 }: NumberEntryProps) {
  const shown = unit === '' ? String(value) : `${value} ${unit}`
  const [text, setText] = useState(shown)
  const [why, setWhy] = useState<string>()
  const whyId = useId()
  useEffect(() => {
    setText(shown)
    setWhy(undefined)
  }, [shown])
  const commit = () => {
    const next = read(text, unit)
    const fault = Number.isFinite(next) ? check(next) : `${text.trim() === '' ? 'Nothing' : `“${text.trim()}”`} is not a number.`
    setWhy(fault)
    if (fault !== undefined) return
    setText(shown)
    if (next !== value) onChange(next)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') commit()
    if (event.key !== 'Escape') return
    event.stopPropagation()
    setText(shown)
    setWhy(undefined)
  }
  return (
    <>
      <input
        className={classNames(styles.entry, styles.small)}
        style={{ width }}
        aria-label={label}
        aria-invalid={why !== undefined}
        aria-describedby={why === undefined ? undefined : whyId}
        value={text}
        inputMode="decimal"
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={keys}
      />
      {why === undefined ? null : (
        <p id={whyId} className={styles.why} role="alert">
          {why}
        </p>
      )}
    </>
  )
}
