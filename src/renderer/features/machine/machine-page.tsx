/** The first minute: what was found where, what was not, and the sweep against the best of it. */
import { Fragment, useEffect, useMemo } from 'react'
import type { Found } from '../../../contract/endpoints/app.ts'
import { formatMs } from '../../../core/report/format-number.ts'
import { problemText } from '../../../core/result/problem.ts'
import { useCommands } from '../../stores/command-store.ts'
import type { Discovery } from '../../stores/discovery-store.ts'
import { useSelected, useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckGlyph, DashGlyph } from '../../ui/glyphs.tsx'
import { NoticeBar } from '../../ui/notice-bar.tsx'
import { PageHead } from '../../ui/panel.tsx'
import { foundSentence, GROUPS } from './found-words.ts'
import styles from './machine-page.module.css'
import { SweepOffer } from './sweep-offer.tsx'
import { TuneSection } from './tune-section.tsx'

const two = (value: number) => String(value).padStart(2, '0')
const clock = (epochMs: number) => `${two(new Date(epochMs).getHours())}:${two(new Date(epochMs).getMinutes())}`

function lookedText(discovery: Discovery): string {
  if (discovery.status === 'looking') return 'looking; nothing is started, changed or sent'
  return `${clock(discovery.lookedAtEpochMs)}, ${discovery.found.length} places asked in ${formatMs(discovery.tookMs)}, nothing started, changed or sent`
}

export function MachinePage() {
  const { discovery: store, layout, commands } = useStores()
  const discovery = useStore(store)
  const tabId = useSelected(layout, (now) => now.currentId)
  const detail = discovery.status === 'known' ? `looked at in ${formatMs(discovery.tookMs)}` : ''
  useEffect(() => layout.setLabel(tabId, { title: 'This machine', detail }), [layout, tabId, detail])
  const own = useMemo(() => [{ id: 'machine.look', title: 'Look again', group: 'This machine', chord: 'r', run: () => void store.look() }], [store])
  useCommands(commands, own)
  return (
    <>
      {discovery.problem === null ? null : (
        <NoticeBar fails happened={discovery.problem.happened} rest={`${discovery.problem.expected} ${discovery.problem.todo}`} />
      )}
      <PageHead title="This machine" now="what Plimsoll found, and what it did not" line={lookedText(discovery)}>
        <Button chord="r" refused={discovery.status === 'looking' ? 'still looking' : undefined} onClick={() => void store.look()}>
          Look again
        </Button>
      </PageHead>
      <div className={styles.page}>
        <div className={styles.found} data-region tabIndex={-1}>
          <p className={`l ${styles.lead}`}>{discovery.found.length === 0 ? foundNothingYet(discovery) : foundSentence(discovery.found)}</p>
          {GROUPS.map((group) => {
            const rows = discovery.found.filter((one) => group.kinds.includes(one.kind))
            return rows.length === 0 ? null : (
              <section key={group.title}>
                <h2>
                  {group.title} <span className="dim s normal">{group.note}</span>
                </h2>
                <FoundRows rows={rows} />
              </section>
            )
          })}
          <TuneSection />
          <OwnSection />
        </div>
        <SweepOffer />
      </div>
    </>
  )
}

const foundNothingYet = (discovery: Discovery) =>
  discovery.problem === null ? 'Looking for model servers, agent CLIs and keys.' : problemText(discovery.problem)

function FoundRows({ rows }: { rows: readonly Found[] }) {
  return (
    <table className={styles.rows}>
      <tbody>
        {rows.map((one) => (
          <Fragment key={`${one.kind}${one.name}${one.where}`}>
            <FoundRow sign={one.found} name={one.name} where={one.where} fact={one.fact} />
            {one.kind === 'model-server' && one.found
              ? one.targets.map(({ label, target }) => (
                  <tr key={label} className={styles.sub}>
                    <td />
                    <td className={styles.name}>{target.model}</td>
                    <td className={styles.where} />
                    <td />
                  </tr>
                ))
              : null}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

function FoundRow({ sign, name, where, fact }: { sign: boolean; name: string; where: string; fact: string }) {
  return (
    <tr className={sign ? undefined : styles.missing}>
      <td>
        {sign ? <CheckGlyph size={13} /> : <DashGlyph size={13} />}
        <span className="sr">{sign ? 'found' : 'not found'}</span>
      </td>
      <td className={`strong ${styles.name}`}>{name}</td>
      <td className={styles.where}>{where.replace(/^https?:\/\//, '')}</td>
      <td>{fact}</td>
    </tr>
  )
}

function OwnSection() {
  const { settings } = useStores()
  const info = useSelected(settings, (now) => now.info)
  if (info === null) return null
  return (
    <section>
      <h2>
        What Plimsoll itself set up <span className="dim s normal">Settings says more</span>
      </h2>
      <table className={styles.rows}>
        <tbody>
          <FoundRow
            sign
            name="Data folder"
            where={info.dataDir.startsWith(`${info.homeDir}/`) ? `~${info.dataDir.slice(info.homeDir.length)}` : info.dataDir}
            fact="one database and the scrollback of panes"
          />
          <FoundRow
            sign={info.runnerUrl !== null}
            name="HTTP API"
            where={info.runnerUrl?.replace('http://', '') ?? 'not up'}
            fact="loopback only, behind a token that was made just now"
          />
        </tbody>
      </table>
    </section>
  )
}
