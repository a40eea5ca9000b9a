/** A question before something is lost: says what would go, and its first answer, Esc too, is the safe one. */
import { AlertDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './floating.module.css'

type QuestionProps = {
  open: boolean
  title: string
  children: ReactNode
  /** The safe answer, also Esc. */
  keep: string
  /** What ends something says how much: "Delete sweep 7 and its 312 sessions". */
  act: string
  onAnswer(act: boolean): void
}

export function Question({ open, title, children, keep, act, onAnswer }: QuestionProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onAnswer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Content className={styles.dialog} style={{ width: 460 }}>
          <div className={styles.body}>
            <AlertDialog.Title>{title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className="dim">{children}</div>
            </AlertDialog.Description>
            <div className={styles.actions}>
              <AlertDialog.Cancel asChild>
                <Button variant="first" chord="escape">
                  {keep}
                </Button>
              </AlertDialog.Cancel>
              <Button onClick={() => onAnswer(true)}>{act}</Button>
            </div>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
