/** Buttons: plain, quiet (no edge), first (filled with ink, one a region). One that can't act now stays, dim, and says why. */
import type { ComponentProps, ReactNode } from 'react'
import styles from './button.module.css'
import { classNames } from './class-names.ts'
import { KeyHint } from './key-hint.tsx'

type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> & {
  variant?: 'plain' | 'quiet' | 'first'
  small?: boolean
  /** Shown behind the label. */
  chord?: string
  /** Why it can't act now; the click does nothing then. */
  refused?: string | undefined
  children: ReactNode
}

export function Button({ variant = 'plain', small = false, chord, refused, children, className, onClick, title, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      title={refused ?? title}
      aria-disabled={refused !== undefined || undefined}
      className={classNames(styles.button, variant !== 'plain' && styles[variant], small && styles.small, className)}
      onClick={refused === undefined ? onClick : undefined}
    >
      {children}
      {chord === undefined ? null : <KeyHint chord={chord} />}
    </button>
  )
}
