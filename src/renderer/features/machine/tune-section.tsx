/** How many slots to set: the same short sweep on private servers that differ in nothing else, and a recommendation. The person's own server is left alone. */
import { useMemo } from 'react'
import { formatBytes } from '../../../core/report/format-number.ts'
import { problemText } from '../../../core/result/problem.ts'
import type { TuneState, TuneTrial } from '../../../core/sweep/tune.ts'
import { useCommands } from '../../stores/command-store.ts'
import { useSelected, useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { tuneTargetOf } from '../../stores/tune-store.ts'
import { Button } from '../../ui/button.tsx'
import { plainMs } from '../../ui/plain-ms.ts'
import styles from './machine-page.module.css'

/** Why it can't be started now; undefined = it can. */
function useTuneStart(): { refused: string | undefined; start(): void; label: string } {
  const { tune, plan, sweepList } = useStores()
  const request = useSelected(plan, (now) => now.request)
  const label = useSelected(plan, (now) => now.targetLabel)
  const sweeping = useSelected(sweepList, (list) => list.items.some((item) => item.status === 'running'))
  const status = useSelected(tune, (state) => state.status)
  const target = request === null ? 'nothing was found to tune yet' : tuneTargetOf(request.target)
  const busy = status === 'running' ? 'it is being tried' : sweeping ? 'a sweep runs' : undefined
  const refused = busy ?? (typeof target === 'string' ? target : undefined)
  return { refused, label, start: () => void (typeof target === 'string' ? undefined : tune.start(target)) }
}

export function TuneSection() {
  const { tune, commands } = useStores()
  const state = useStore(tune)
  const { refused, start, label } = useTuneStart()
  const running = state.status === 'running'
  // biome-ignore lint/correctness/useExhaustiveDependencies: what starts it follows from these
  const own = useMemo(
    () => [{ id: 'machine.tune', title: 'Tune the slots', group: 'This machine', chord: 't', refused, run: start }],
    [refused, label],
  )
  useCommands(commands, own)
  return (
    <section aria-label="Slots">
      <h2>
        How many slots?{' '}
        <span className="dim s normal">{state.label === '' ? `tried on ${label === '' ? 'what is found' : label}` : state.label}</span>
      </h2>
      {state.trials.length === 0 ? (
        <p className="dim">
          Plimsoll starts private servers with 1, 2 and 4 slots, one after the other, sweeps each for a short time, and recommends one with its memory
          cost. Your own server is not touched.
        </p>
      ) : (
        <Trials state={state} />
      )}
      {state.advice === null ? null : (
        <div aria-live="polite">
          <p className="strong">{state.advice.sentence}</p>
          {state.advice.notes.map((note) => (
            <p key={note} className="s dim">
              {note}
            </p>
          ))}
        </div>
      )}
      {state.problem === null ? null : <p role="alert">{problemText(state.problem)}</p>}
      <div className={styles.tuneEnd}>
        {running ? (
          <Button onClick={() => void tune.cancel()}>Stop, keep what was measured</Button>
        ) : (
          <Button chord="t" refused={refused} onClick={start}>
            Tune the slots
          </Button>
        )}
      </div>
    </section>
  )
}

const STATUS_WORDS: Readonly<Record<TuneTrial['status'], string>> = {
  waiting: 'waits',
  starting: 'starts',
  running: 'is swept',
  done: '',
  failed: 'failed',
}

function Trials({ state }: { state: TuneState }) {
  return (
    <table className={styles.trials}>
      <thead>
        <tr>
          <th scope="col">{state.setting === '' ? 'slots' : state.setting}</th>
          <th scope="col">tokens/s in all</th>
          <th scope="col">one answer, tokens/s</th>
          <th scope="col">ttfa p50</th>
          <th scope="col">seen at once</th>
          <th scope="col">memory</th>
        </tr>
      </thead>
      <tbody>
        {state.trials.map(({ slots, status, figures, problem }) => (
          <tr key={slots} className={state.advice?.slots === slots ? 'strong' : undefined}>
            <th scope="row">{slots}</th>
            {figures === null ? (
              <td colSpan={5} className="dim">
                {problem === null ? STATUS_WORDS[status] : problemText(problem)}
              </td>
            ) : (
              <>
                <td>{figures.tokensPerSec.value.toFixed(1)}</td>
                <td>{figures.decodeTokensPerSec?.toFixed(1) ?? '–'}</td>
                <td>{figures.ttfaMs === null ? '–' : plainMs(figures.ttfaMs.value)}</td>
                <td>{figures.slotsInUse ?? '–'}</td>
                <td>{figures.memoryBytes === null ? '–' : formatBytes(figures.memoryBytes)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
