/** What the commands need of the app. `openCliApp` takes it from the composed one; tests give a double. */
import type { Problem } from '../../../core/result/problem.ts'
import type { Result } from '../../../core/result/result.ts'
import type { SessionEvent } from '../../../core/session/session-event.ts'
import type { StoredChat } from '../../../core/session/stored-chat.ts'
import type { SweepEvent } from '../../../core/sweep/sweep-event.ts'
import type { SweepListRow } from '../../../core/sweep/sweep-list-row.ts'
import type { Tuner } from '../../composition/tuner.ts'
import type { SweepService } from '../../services/sweep/sweep.ts'

/** A model server at an address that was asked, its models best first; `problem` says why it can't be used. */
export type FoundServer = { readonly label: string; readonly url: string; readonly models: readonly string[]; readonly problem: Problem | null }

export interface CliApp {
  readonly dataDir: string
  readonly sweeps: Pick<SweepService, 'estimate' | 'start' | 'resume' | 'extend' | 'cancel' | 'events' | 'live'>
  readonly tuner: Pick<Tuner, 'start' | 'cancel' | 'state' | 'onChange'>
  /** Newest first. */
  listSweeps(): readonly SweepListRow[]
  readSweepEvents(sweepId: SweepListRow['sweepId']): readonly SweepEvent[]
  importReport(fileName: string, content: string): Result<{ sweepId: SweepListRow['sweepId']; isNew: boolean }, Problem>
  /** Recorded chats, and what was said in one. */
  readonly chats: { list(): readonly StoredChat[]; events(sessionId: StoredChat['sessionId']): readonly SessionEvent[] }
  /** The server at this address, or those at the usual ones. */
  discoverServers(url?: string): Promise<readonly FoundServer[]>
  close(): Promise<void>
}

export type OpenCliApp = (options: { data: string | undefined; verbose: boolean }) => Promise<Result<CliApp, Problem>>
