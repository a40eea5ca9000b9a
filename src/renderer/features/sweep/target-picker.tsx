/** What to measure: servers with their models, what is built in, and what was looked for and did not answer. An address can be typed. */
import { Command as Cmdk } from 'cmdk'
import { ChevronDown, Search } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import type { Found } from '../../../contract/endpoints/app.ts'
import type { Target } from '../../../core/sweep/target.ts'
import { sameTarget } from '../../stores/discovery-store.ts'
import { useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { classNames } from '../../ui/class-names.ts'
import floating from '../../ui/floating.module.css'
import { CheckGlyph } from '../../ui/glyphs.tsx'
import panel from './plan-panel.module.css'
import { modelOf, placeOfTarget } from './sweep-words.ts'
import styles from './target-picker.module.css'
import { typedTarget } from './typed-target.ts'

export function TargetPicker({ target }: { target: Target | undefined }) {
  const [open, setOpen] = useState(false)
  const { plan } = useStores()
  const choose = (next: Target, label: string) => {
    plan.setTarget(next, label)
    setOpen(false)
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button type="button" className={panel.pick} aria-label="Target of the sweep">
          <span className="strong">{target === undefined ? 'Choose a target' : modelOf(target)}</span>
          <ChevronDown size={14} strokeWidth={1.75} />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className={classNames(floating.float, styles.pop)} side="bottom" align="start" sideOffset={4} collisionPadding={12}>
          <TargetList current={target} onChoose={choose} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

const isServer = (one: Found) => one.kind === 'model-server' || one.kind === 'engine'

function TargetList({ current, onChoose }: { current: Target | undefined; onChoose(target: Target, label: string): void }) {
  const { discovery } = useStores()
  const { found, status } = useStore(discovery)
  const [typed, setTyped] = useState('')
  const sources = found.filter(isServer)
  const answering = sources.filter((one) => one.found && one.targets.length > 0)
  const silent = sources.filter((one) => !answering.includes(one))
  const byHand = typedTarget(typed)
  return (
    <Cmdk label="Targets" loop>
      <div className={styles.field}>
        <Search size={14} strokeWidth={1.75} />
        <Cmdk.Input value={typed} onValueChange={setTyped} placeholder="Model, server, or address and model" autoFocus />
        <span className="s">{status === 'looking' ? 'looking …' : `${sources.length} looked for, ${answering.length} answer`}</span>
      </div>
      <Cmdk.List className={styles.list} label="Targets">
        {byHand === undefined ? null : (
          <Cmdk.Group forceMount>
            <Cmdk.Item value={`typed ${typed}`} forceMount onSelect={() => onChoose(byHand.target, byHand.label)}>
              <span />
              <span>
                {byHand.target.model} <span className="dim">at {byHand.target.url}</span>
              </span>
              <span className="s dim">as typed</span>
            </Cmdk.Item>
          </Cmdk.Group>
        )}
        {answering.map((source) => (
          <Cmdk.Group
            key={`${source.kind}${source.name}${source.where}`}
            heading={
              <div className={styles.heading}>
                <b>{source.name}</b>
                <span>
                  <span className="num">{source.where}</span>
                  {source.fact === '' ? '' : `, ${source.fact}`}
                </span>
              </div>
            }
          >
            {source.targets.map(({ label, target }) => (
              <Cmdk.Item key={label} value={`${label} ${source.name} ${source.where}`} onSelect={() => onChoose(target, label)}>
                <span>{sameTarget(target, current) ? <CheckGlyph /> : null}</span>
                <span className={sameTarget(target, current) ? 'strong' : undefined}>{modelOf(target)}</span>
                <span className="s dim">{placeOfTarget(target)}</span>
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        ))}
        <Cmdk.Empty className={styles.heading}>Nothing found is called so. An address works too: http://127.0.0.1:11434 my-model</Cmdk.Empty>
      </Cmdk.List>
      {silent.length === 0 ? null : (
        <div className={styles.silent}>
          {silent.map((one) => (
            <div key={`${one.name}${one.where}`} className={styles.heading}>
              <b>{one.name}</b>
              <span>
                <span className="num">{one.where}</span>, {one.fact}
              </span>
            </div>
          ))}
        </div>
      )}
      <footer className={floating.foot}>
        <span>Enter choose</span>
        <button type="button" style={{ marginLeft: 'auto' }} onClick={() => void discovery.look()}>
          Look again
        </button>
      </footer>
    </Cmdk>
  )
}
