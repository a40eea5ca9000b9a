/** One of a few named values, as the system's own list. */
import entry from './entry.module.css'

type PickerProps<V extends string> = {
  label: string
  value: V
  options: readonly { readonly value: V; readonly name: string }[]
  onChange(value: V): void
}

export function Picker<V extends string>({ label, value, options, onChange }: PickerProps<V>) {
  const choose = (next: string) => {
    const option = options.find((candidate) => candidate.value === next)
    if (option !== undefined) onChange(option.value)
  }
  return (
    <select
      className={`${entry.entry} ${entry.small} ${entry.pick}`}
      aria-label={label}
      value={value}
      onChange={(event) => choose(event.target.value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </select>
  )
}
