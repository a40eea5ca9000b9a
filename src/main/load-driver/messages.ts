/** What main and the load driver say to each other. One driver plays one wave at a time; stamps are machine-monotonic, not yet shifted to the sweep's beginning. */
import type { Cell, SweepPlan } from '../../core/sweep/plan.ts'
import type { DriverReport, Lane } from '../../core/sweep/sweep-event.ts'
import type { TurnRow } from '../../core/sweep/turn-row.ts'

/** The way of the load: through the runner to a server, or straight to it. */
export type LoadPath = {
  /** Null in the direct leg. */
  readonly runner: { readonly url: string; readonly token: string } | null
  readonly serverUrl: string
  readonly model: string
  /** Absent = Ollama's native API. */
  readonly wire?: OpenAiWire
}

/** How a server is spoken to that speaks OpenAI's chat completions. The key stays in the memory of main and the driver. */
export type OpenAiWire = { readonly api: 'openai'; readonly keyName?: string; readonly key?: string }

export type DriverCommand =
  /** Counts of the report start afresh. */
  | { readonly type: 'begin-cell'; readonly plan: SweepPlan; readonly cell: Cell; readonly path: LoadPath }
  | { readonly type: 'play-wave'; readonly wave: number }
  | { readonly type: 'end-cell' }
  /** Ends the wave at once: open turns become `cut`. */
  | { readonly type: 'abort-wave' }

export type DriverMessage =
  | { readonly type: 'ready' }
  /** The runner holds this session for us until the wave has ended: whoever outlives the driver deletes it. */
  | { readonly type: 'session-opened'; readonly sessionId: string }
  /** All connections stand; the first submit is due at `atMs`. */
  | { readonly type: 'wave-started'; readonly wave: number; readonly atMs: number }
  /** What the runner says of turns that did not go as they were asked for, once for each text. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'turns-ended'; readonly rows: readonly TurnRow[] }
  | { readonly type: 'lanes'; readonly wave: number; readonly lanes: readonly Lane[] }
  /** All rows of the wave have been sent before. */
  | { readonly type: 'wave-ended'; readonly wave: number }
  | { readonly type: 'cell-ended'; readonly report: DriverReport }
