/** One of a few, side by side; arrow keys move the choice. */
import { ToggleGroup } from 'radix-ui'
import { classNames } from './class-names.ts'
import styles from './segmented.module.css'

export type SegmentOption<V extends string> = { readonly value: V; readonly label: string; readonly title?: string }

type SegmentedProps<V extends string> = {
  label: string
  options: readonly SegmentOption<V>[]
  value: V | undefined
  onChange(value: V): void
  wide?: boolean
}

export function Segmented<V extends string>({ label, options, value, onChange, wide = false }: SegmentedProps<V>) {
  const choose = (next: string) => {
    const option = options.find((candidate) => candidate.value === next)
    if (option !== undefined) onChange(option.value)
  }
  return (
    <ToggleGroup.Root
      type="single"
      className={classNames(styles.seg, wide && styles.wide)}
      aria-label={label}
      value={value ?? ''}
      onValueChange={choose}
    >
      {options.map((option) => (
        <ToggleGroup.Item key={option.value} value={option.value} title={option.title}>
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
