/** A whole number with one fewer and one more. */
import styles from './entry.module.css'

type StepperProps = { label: string; value: number; min: number; max: number; onChange(value: number): void }

export function Stepper({ label, value, min, max, onChange }: StepperProps) {
  const go = (next: number) => {
    if (next >= min && next <= max) onChange(next)
  }
  return (
    <fieldset className={styles.step} aria-label={label}>
      <button type="button" aria-label="One fewer" aria-disabled={value <= min || undefined} onClick={() => go(value - 1)}>
        −
      </button>
      <output>{value}</output>
      <button type="button" aria-label="One more" aria-disabled={value >= max || undefined} onClick={() => go(value + 1)}>
        +
      </button>
    </fieldset>
  )
}
