/** The levels as chips with a field for more. What can't be a level stays as typed, with the reason. */
import { type KeyboardEvent, useState } from 'react'
import { problemText } from '../../../core/result/problem.ts'
import { parseLevels } from '../../../core/sweep/parse-levels.ts'
import entry from '../../ui/entry.module.css'
import styles from './plan-panel.module.css'

type LevelChipsProps = { levels: readonly number[]; onChange(levels: number[]): void }

export function LevelChips({ levels, onChange }: LevelChipsProps) {
  const [text, setText] = useState('')
  const [why, setWhy] = useState<string>()
  const sorted = [...new Set(levels)].sort((a, b) => a - b)
  const add = () => {
    if (text.trim() === '') return setWhy(undefined)
    const parsed = parseLevels(text)
    if (!parsed.ok) return setWhy(problemText(parsed.error))
    setWhy(undefined)
    setText('')
    onChange([...new Set([...sorted, ...parsed.value])].sort((a, b) => a - b))
  }
  const remove = (n: number) => {
    if (sorted.length === 1) return setWhy('A sweep needs at least one level: add another one first.')
    setWhy(undefined)
    onChange(sorted.filter((level) => level !== n))
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault()
      add()
    }
    const last = sorted.at(-1)
    if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last)
  }
  return (
    <>
      <div className={styles.chips}>
        {sorted.map((n) => (
          <span key={n} className={styles.chip}>
            {n}
            <button type="button" aria-label={`Leave level ${n} out`} onClick={() => remove(n)}>
              ×
            </button>
          </span>
        ))}
        <input
          className={`${entry.entry} ${entry.small}`}
          style={{ width: 52, textAlign: 'left' }}
          aria-label="Add levels"
          aria-invalid={why !== undefined}
          placeholder="add"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={keys}
          onBlur={add}
        />
      </div>
      {why === undefined ? null : (
        <p className={styles.why} role="alert">
          {why}
        </p>
      )}
      {sorted[0] === 1 ? null : <p className={styles.note}>Without N = 1 there is nothing to compare with: no growth, no drift, no cause.</p>}
    </>
  )
}
