/** What main and the pty host say to each other. Both are of one build, so types suffice. */
import type { TerminalId } from '../../core/result/ids.ts'
import type { Problem } from '../../core/result/problem.ts'

export type SpawnRequest = {
  /** An existing program; main has looked. */
  file: string
  args: string[]
  cwd: string
  /** The whole environment. */
  env: Record<string, string>
  cols: number
  rows: number
  /** Where the terminal's text is kept for a later Plimsoll. */
  textPath: string
}

type Of<T extends string, Rest = unknown> = { type: T; terminalId: TerminalId } & Rest

export type ToPtyHost =
  | Of<'open', { request: SpawnRequest }>
  | Of<'write', { data: string }>
  | Of<'resize', { cols: number; rows: number }>
  /** Ends the process tree; `closed` follows when it is gone. */
  | Of<'close'>
  /** From now on the viewer gets a replay of the screen, then all output. */
  | Of<'attach', { viewer: number }>
  | Of<'detach', { viewer: number }>
  /** The viewer has taken that many bytes. */
  | Of<'ack', { viewer: number; bytes: number }>

export type FromPtyHost =
  | Of<'opened', { pid: number; startId: string }>
  | Of<'open-failed', { problem: Problem }>
  /** At most once a second, and only when there was output. Null = not known. */
  | Of<'state', { title: string | null; cwd: string | null; lastOutputEpochMs: number }>
  /** That many bytes of input are with the program now, or lost with it. */
  | Of<'taken', { bytes: number }>
  | Of<'output', { viewer: number; data: Uint8Array }>
  | Of<'output-end', { viewer: number }>
  /** All output was sent before. A signal's name, when one ended it. */
  | Of<'exited', { exitCode: number; signal: string | null }>
  /** `left`: processes that could not be ended. */
  | Of<'closed', { left: number[] }>
