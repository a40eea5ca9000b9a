/** A sentence across the page: what happened, what still holds, what to do. Stays until it is settled. */
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { CrossGlyph, WarningGlyph } from './glyphs.tsx'
import styles from './notice-bar.module.css'

type NoticeBarProps = { fails?: boolean; happened: string; rest: string; children?: ReactNode }

export function NoticeBar({ fails = false, happened, rest, children }: NoticeBarProps) {
  return (
    <div className={classNames(styles.bar, fails && styles.fails)} role={fails ? 'alert' : 'status'}>
      {fails ? <CrossGlyph /> : <WarningGlyph />}
      <p>
        <b>{happened}</b> {rest}
      </p>
      {children === undefined ? null : <span className={styles.actions}>{children}</span>}
    </div>
  )
}
