/** Draws a component over a fake main in happy-dom, and waits for what should come of it. Each drawing is taken down after its test. */
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach } from 'vitest'
import { analyse } from '../../core/analysis/analyse.ts'
import { createStores, type Stores, StoresProvider } from '../stores/stores.tsx'
import type { FakeMain } from './fake-main.ts'

const takeDown: (() => void)[] = []
afterEach(() => {
  for (const end of takeDown.splice(0)) end()
})

export type Drawing = {
  readonly stores: Stores
  readonly box: HTMLElement
  text(): string
  /** By role and accessible name (a part of it); fails with what there is instead. */
  find(role: string, name: string | RegExp): HTMLElement
  all(role: string): HTMLElement[]
  click(element: Element): Promise<void>
  press(key: string, init?: KeyboardEventInit, target?: EventTarget): Promise<void>
  type(field: Element, text: string): Promise<void>
  /** Until `check` no longer throws; generous, since CI is slow. */
  until(check: () => void): Promise<void>
}

const PATIENCE_MS = 8_000
const BEAT_MS = 20

const ROLE_QUERIES: Readonly<Record<string, string>> = {
  button: 'button, [role="button"]',
  tab: '[role="tab"]',
  img: '[role="img"]',
  alert: '[role="alert"]',
  status: '[role="status"]',
  radio: '[role="radio"]',
  option: '[role="option"]',
  dialog: '[role="dialog"], [role="alertdialog"]',
  textbox: 'input, textarea',
  row: 'tr',
  list: 'ul, ol',
  navigation: 'nav',
}

const nameOf = (element: Element): string => element.getAttribute('aria-label') ?? element.getAttribute('placeholder') ?? element.textContent ?? ''

/** Time for React and the frame queue to draw, as in a browser; `until` is what tests wait with. */
const beat = () => new Promise((resolve) => setTimeout(resolve, BEAT_MS))

export async function draw(fake: FakeMain, node: ReactNode | ((stores: Stores) => ReactNode)): Promise<Drawing> {
  const stores = createStores(fake.connection, analyse)
  const box = document.createElement('div')
  document.body.append(box)
  const root = createRoot(box)
  takeDown.push(() => {
    root.unmount()
    stores.openSweeps.close()
    box.remove()
  })
  root.render(<StoresProvider stores={stores}>{typeof node === 'function' ? node(stores) : node}</StoresProvider>)
  await beat()
  const all = (role: string) => [...document.querySelectorAll<HTMLElement>(ROLE_QUERIES[role] ?? `[role="${role}"]`)]
  return {
    stores,
    box,
    all,
    text: () => document.body.textContent ?? '',
    find(role, name) {
      const matches = (element: Element) => (typeof name === 'string' ? nameOf(element).includes(name) : name.test(nameOf(element)))
      const found = all(role).find(matches)
      if (found === undefined) throw new Error(`No ${role} named ${String(name)}; there are: ${all(role).map(nameOf).join(' | ')}`)
      return found
    },
    async click(element) {
      element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
      await beat()
    },
    async press(key, init = {}, target = document.body) {
      target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }))
      await beat()
    },
    async type(field, text) {
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
      set?.call(field, text)
      field.dispatchEvent(new Event('input', { bubbles: true }))
      await beat()
    },
    async until(check) {
      const deadline = performance.now() + PATIENCE_MS
      for (;;) {
        try {
          return check()
        } catch (cause) {
          if (performance.now() > deadline) throw cause
        }
        await beat()
      }
    },
  }
}
