/** Heads of pages and panels, and lists of key and value. Parted by hairlines, never boxed. */
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './panel.module.css'

export function PanelHead({ title, note, children, ruled = false }: { title: string; note?: ReactNode; children?: ReactNode; ruled?: boolean }) {
  return (
    <div className={classNames(styles.head, ruled && styles.ruled)}>
      <h2>{title}</h2>
      {note === undefined ? null : <span className="dim s nowrap">{note}</span>}
      {children === undefined ? null : <span className={styles.end}>{children}</span>}
    </div>
  )
}

export function PageHead({ title, now, line, children }: { title: string; now?: ReactNode; line?: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.pageHead}>
      <div className={styles.what}>
        <h1>
          {title} {now === undefined ? null : <span className="dim normal">{now}</span>}
        </h1>
        {line === undefined ? null : <p className="s dim num">{line}</p>}
      </div>
      {children === undefined ? null : <div className={styles.pageEnd}>{children}</div>}
    </div>
  )
}

export type KeyValue = { readonly key: string; readonly value: ReactNode; readonly title?: string }

export function KeyValues({ rows }: { rows: readonly KeyValue[] }) {
  return (
    <dl className={styles.kv}>
      {rows.map((row) => (
        <div key={row.key} style={{ display: 'contents' }}>
          <dt title={row.title}>{row.key}</dt>
          <dd>{row.value}</dd>
        </div>
      ))}
    </dl>
  )
}
