/** Settings: every change holds at once. And what Plimsoll itself is and where it keeps things. */
import type { ReactNode } from 'react'
import type { AppInfo, Settings } from '../../../contract/endpoints/app.ts'
import { useSelected, useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { Button } from '../../ui/button.tsx'
import { Tick } from '../../ui/choices.tsx'
import { NumberEntry } from '../../ui/number-entry.tsx'
import { PageHead } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './settings-page.module.css'

const option = <V extends string>(value: V, label: string = value) => ({ value, label })
const THEMES = [option('system'), option('light'), option('dark')]
const DRAWING = [option('off', 'plain'), option('auto'), option('on', 'GPU')]

const whole = (low: number, high: number) => (value: number) =>
  Number.isInteger(value) && value >= low && value <= high ? undefined : `Expected a whole number from ${low} to ${high}.`

function Row({ name, control, children }: { name: string; control: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <span>{name}</span>
      <span>{control}</span>
      <p>{children}</p>
    </div>
  )
}

export function SettingsPage() {
  const { settings: store } = useStores()
  const { settings, info } = useStore(store)
  return (
    <>
      <PageHead title="Settings" now="Every change holds at once." />
      {settings === null ? (
        <p className="l" style={{ margin: 'auto' }}>
          Reading the settings.
        </p>
      ) : (
        <div className={styles.page}>
          <div className={styles.column}>
            <Limits settings={settings} />
            <Look settings={settings} />
          </div>
          <div className={styles.column}>{info === null ? null : <About info={info} />}</div>
        </div>
      )}
    </>
  )
}

function Limits({ settings }: { settings: Settings }) {
  const { settings: store, sweepList } = useStores()
  const latest = useSelected(sweepList, (list) =>
    list.items.find((item) => item.status === 'completed' && !item.simulated && /^\d+$/.test(item.ceiling)),
  )
  return (
    <>
      <h2>Limits</h2>
      <Row
        name="Sessions in flight"
        control={
          <NumberEntry
            label="Sessions in flight at once"
            unit=""
            value={settings.runnerLimit}
            check={whole(1, 4096)}
            onChange={(runnerLimit) => store.save({ runnerLimit })}
          />
        }
      >
        Further chat turns wait in a visible queue.
        {latest === undefined
          ? ' No sweep has found a load line yet.'
          : ` Sweep ${latest.number} found the load line of ${latest.targetLabel} at ${latest.ceiling}.`}
      </Row>
      <h2>Background work</h2>
      <Row
        name="Title"
        control={<Tick label="on" checked={settings.backgroundTitle} onChange={(backgroundTitle) => store.save({ backgroundTitle })} />}
      >
        After the first answer the same model names the chat: one more model call.
      </Row>
      <Row
        name="Memory note"
        control={<Tick label="on" checked={settings.backgroundMemory} onChange={(backgroundMemory) => store.save({ backgroundMemory })} />}
      >
        After each answer the same model writes a note: one more model call, which holds a slot while it runs.
      </Row>
    </>
  )
}

function Look({ settings }: { settings: Settings }) {
  const { settings: store } = useStores()
  return (
    <>
      <h2>Look</h2>
      <Row name="Theme" control={<Segmented label="Theme" options={THEMES} value={settings.theme} onChange={(theme) => store.save({ theme })} />}>
        System follows the desktop.
      </Row>
      <Row
        name="Terminal text"
        control={
          <NumberEntry
            label="Size of terminal text, pixels"
            unit="px"
            value={settings.terminalFontSize}
            check={whole(8, 32)}
            onChange={(terminalFontSize) => store.save({ terminalFontSize })}
          />
        }
      >
        JetBrains Mono.
      </Row>
      <Row
        name="Terminal drawing"
        control={<Segmented label="Terminal drawing" options={DRAWING} value={settings.webgl} onChange={(webgl) => store.save({ webgl })} />}
      >
        Auto uses the GPU where there is a real one; software emulation of a GPU is slower than plain.
      </Row>
    </>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className={styles.fact}>
      <span className="dim">{name}</span>
      <span>{value}</span>
    </div>
  )
}

function About({ info }: { info: AppInfo }) {
  const { layout } = useStores()
  return (
    <>
      <h2>About</h2>
      <Fact name="Plimsoll" value={`${info.version}, ${info.host === 'electron' ? 'desktop window' : 'web host'}, ${info.platform}`} />
      <Fact name="Data folder" value={info.dataDir} />
      <Fact name="HTTP API" value={info.runnerUrl === null ? 'not up' : `${info.runnerUrl}, loopback only, behind a token`} />
      <Fact name="Shell" value={info.shell} />
      <p className="dim" style={{ padding: '12px 0' }}>
        No account, no telemetry. Nothing that was measured leaves this machine unless you export a report and send it.
      </p>
      <Button onClick={layout.openMachine}>What was found on this machine</Button>
    </>
  )
}
