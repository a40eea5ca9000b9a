/** One of several, each with a sentence: radio rows. And a tick with its label. */
import { Checkbox, RadioGroup } from 'radix-ui'
import styles from './choice.module.css'
import { classNames } from './class-names.ts'
import { CheckGlyph } from './glyphs.tsx'

export type Choice = { readonly value: string; readonly name: string; readonly text: string; readonly end?: string }

type ChoicesProps = { label: string; choices: readonly Choice[]; value: string; onChange(value: string): void }

export function Choices({ label, choices, value, onChange }: ChoicesProps) {
  return (
    <RadioGroup.Root aria-label={label} value={value} onValueChange={onChange}>
      {choices.map((choice) => (
        <RadioGroup.Item key={choice.value} value={choice.value} className={styles.choice}>
          <i className={styles.ring} />
          <div>
            <span className={styles.top}>
              <span className={styles.name}>{choice.name}</span>
              {choice.end === undefined ? null : <span className={styles.end}>{choice.end}</span>}
            </span>
            <p>{choice.text}</p>
          </div>
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}

export function Tick({ label, checked, onChange }: { label: string; checked: boolean; onChange(checked: boolean): void }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is a button inside the label, which browsers join
    <label className={styles.tick}>
      <Checkbox.Root className={classNames(styles.box, checked && styles.on)} checked={checked} onCheckedChange={(next) => onChange(next === true)}>
        <Checkbox.Indicator>
          <CheckGlyph size={12} />
        </Checkbox.Indicator>
      </Checkbox.Root>
      {label}
    </label>
  )
}
