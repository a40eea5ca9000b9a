/** The one button that carries the mark. Its label and place never change; the tail holds the key or the progress. */
import type { ComponentProps } from 'react'
import styles from './button.module.css'
import { KeyHint } from './key-hint.tsx'
import { Mark } from './mark.tsx'

export type MarkedButtonProps = Omit<ComponentProps<'button'>, 'disabled'> & {
  label: string
  chord: string
  /** Instead of the key, while something goes on: "13 of 21" and how far, 0 to 1. */
  progress?: { text: string; ratio: number } | undefined
  refused?: string | undefined
}

export function MarkedButton({ label, chord, progress, refused, title, onClick, ...rest }: MarkedButtonProps) {
  const blocked = refused !== undefined || progress !== undefined
  return (
    <button
      type="button"
      {...rest}
      className={styles.marked}
      title={refused ?? title}
      aria-disabled={blocked || undefined}
      onClick={blocked ? undefined : onClick}
    >
      <Mark className={styles.mark} />
      <span className={blocked ? 'dim' : undefined}>{label}</span>
      <span className={styles.tail}>{progress === undefined ? <KeyHint chord={chord} /> : progress.text}</span>
      {progress === undefined ? null : <span className={styles.progress} style={{ width: `${Math.round(progress.ratio * 100)}%` }} />}
    </button>
  )
}
