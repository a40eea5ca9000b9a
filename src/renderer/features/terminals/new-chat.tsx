/** Which model a new chat talks to: what main found on this machine, servers first, then what is built in. */
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { builtInAddress } from '../../../core/session/built-in-address.ts'
import type { SessionSettingsInput } from '../../../core/session/session-event.ts'
import { type TargetOption, targetOptions } from '../../stores/discovery-store.ts'
import { useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import styles from './terminals-page.module.css'

export function chatSettingsFor({ target }: TargetOption, background: { title: boolean; memory: boolean }): SessionSettingsInput {
  return target.kind === 'server'
    ? {
        serverUrl: target.url,
        model: target.model,
        background,
        origin: 'chat',
        ...(target.api === undefined ? {} : { api: target.api }),
        ...(target.keyName === undefined ? {} : { keyName: target.keyName }),
      }
    : { serverUrl: builtInAddress(target.engine), model: target.model, background, maxOutputTokens: 200, origin: 'chat' }
}

export function NewChatMenu({ children, onChoose }: { children: ReactNode; onChoose(settings: SessionSettingsInput): void }) {
  const { discovery, settings } = useStores()
  const { found, status } = useStore(discovery)
  const now = settings.get().settings
  const background = { title: now?.backgroundTitle ?? true, memory: now?.backgroundMemory ?? true }
  const options = targetOptions(found)
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles.menu} align="start" sideOffset={4}>
          <DropdownMenu.Label className={styles.menuTitle}>Chat with</DropdownMenu.Label>
          {options.length === 0 ? (
            <DropdownMenu.Item className={styles.menuItem} disabled>
              {status === 'looking' ? 'Looking for models …' : 'No model found. Start a model server, then look again under Sweep.'}
            </DropdownMenu.Item>
          ) : null}
          {options.map((option) => (
            <DropdownMenu.Item key={option.label} className={styles.menuItem} onSelect={() => onChoose(chatSettingsFor(option, background))}>
              {option.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
