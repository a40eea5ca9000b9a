/**
 * One terminal: the pty always drains into the screen, whoever looks or not; viewers get copies; the text goes to disk.
 * running → (the program ends, its last output is read) → ended: only the text is left, until it is closed.
 */
import { readlink } from 'node:fs/promises'
import type { TerminalId } from '../../core/result/ids.ts'
import type { Clock } from '../platform/clock.ts'
import { type ProcessIdentity, readProcess } from '../platform/process-table.ts'
import { endTree } from '../platform/process-tree.ts'
import type { FromPtyHost, SpawnRequest } from './messages.ts'
import { createOutputBatcher } from './output-batcher.ts'
import type { ParseTurns } from './parse-turns.ts'
import { createPauseTokens } from './pause-tokens.ts'
import { createScreen } from './screen.ts'
import { type PtyExit, spawnPty } from './spawn-pty.ts'
import { MAX_TEXT_CHARS, type TextKeeper } from './text-keeper.ts'
import { createViewers } from './viewers.ts'

/** Unparsed output at which the pty is held back: the screen is never further behind than this. It always gets on, so there is no ceiling. */
const SCREEN_PAUSE_ABOVE_BYTES = 1024 * 1024
const SCREEN_RESUME_BELOW_BYTES = 256 * 1024
const STATE_SOON_MS = 150
const STATE_EVERY_MS = 1_000
/** Between SIGHUP and SIGKILL. */
const CLOSE_GRACE_MS = 1_000

export interface PtyTerminal {
  readonly identity: ProcessIdentity
  write(data: string): void
  resize(cols: number, rows: number): void
  attach(viewer: number): void
  detach(viewer: number): void
  ack(viewer: number, bytes: number): void
  /** Ends the process tree; resolves when it is gone, with the pids that could not be ended. */
  end(graceMs?: number): Promise<number[]>
}

type Deps = {
  terminalId: TerminalId
  request: SpawnRequest
  clock: Clock
  keeper: TextKeeper
  turns: ParseTurns
  send: (message: FromPtyHost) => void
}

const encoder = new TextEncoder()
const asReplay = (text: string) => encoder.encode(`\x1bc${text}`)

/** Throws when the system has no terminal to give. */
export function createPtyTerminal({ terminalId, request, clock, keeper, turns, send }: Deps): PtyTerminal {
  let title: string | null = null
  let cwd: string | null = null
  let lastOutputEpochMs = clock.epochMs()
  /** What is shown of it after its end. */
  let endedReplay: Uint8Array | undefined
  let tellEnded: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve
  })

  const screen = createScreen(request, turns, {
    onTitle: (text) => {
      title = text
      state.soon()
    },
    onCwd: (path) => {
      cwd = path
    },
    // A viewer's own terminal answers a program's questions; without one the program would wait for nothing.
    onReply: (data) => {
      if (viewers.size === 0) pty.write(data)
    },
    onParsed: () => {
      if (screen.backlogBytes < SCREEN_RESUME_BELOW_BYTES) pause.release('screen')
    },
  })
  const pty = spawnPty(request, clock, {
    onData(bytes) {
      lastOutputEpochMs = clock.epochMs()
      state.soon()
      keeper.touch(terminalId)
      if (viewers.size > 0) batcher.push(bytes)
      screen.write(bytes)
      if (screen.backlogBytes > SCREEN_PAUSE_ABOVE_BYTES) pause.hold('screen')
    },
    onDraining: () => pause.end(),
    onExit,
    onTaken: (bytes) => send({ type: 'taken', terminalId, bytes }),
  })
  const identity = { pid: pty.pid, startId: readProcess(pty.pid)?.startId ?? 'gone' }
  const pause = createPauseTokens(clock, pty)
  const viewers = createViewers({
    pause,
    send: (viewer, data) => send({ type: 'output', terminalId, viewer, data }),
    sendEnd: (viewer) => send({ type: 'output-end', terminalId, viewer }),
    replay: (callback) => screen.whenParsed(() => callback(encoder.encode(screen.replay()))),
  })
  const batcher = createOutputBatcher(clock, viewers.deliver)
  const state = createStateTicker(clock, async () => {
    const here = cwd ?? (process.platform === 'linux' ? await readlink(`/proc/${identity.pid}/cwd`).catch(() => null) : null)
    if (endedReplay === undefined) send({ type: 'state', terminalId, title: title ?? pty.foreground(), cwd: here, lastOutputEpochMs })
  })
  keeper.add(terminalId, {
    path: request.textPath,
    snapshot: (callback) =>
      screen.whenParsed(() => {
        const beganMs = clock.nowMs()
        callback(screen.text(MAX_TEXT_CHARS), clock.nowMs() - beganMs)
      }),
  })

  function onExit({ exitCode, signal }: PtyExit): void {
    batcher.flush()
    screen.whenParsed(async () => {
      const text = screen.text(MAX_TEXT_CHARS)
      endedReplay = asReplay(text)
      state.stop()
      viewers.end(endedReplay)
      screen.close()
      send({ type: 'state', terminalId, title, cwd, lastOutputEpochMs })
      send({ type: 'exited', terminalId, exitCode, signal })
      await keeper.finish(terminalId, text)
      tellEnded()
    })
  }

  return {
    identity,
    write: pty.write,
    resize(cols, rows) {
      if (endedReplay !== undefined) return
      pty.resize(cols, rows)
      screen.resize(cols, rows)
    },
    attach(viewer) {
      if (endedReplay !== undefined) {
        send({ type: 'output', terminalId, viewer, data: endedReplay })
        send({ type: 'output-end', terminalId, viewer })
        return
      }
      // What is gathered belongs to those who were here before; the replay holds it too.
      batcher.flush()
      viewers.attach(viewer)
    },
    detach(viewer) {
      viewers.detach(viewer)
      if (viewers.size === 0) batcher.clear()
    },
    ack: viewers.ack,
    async end(graceMs = CLOSE_GRACE_MS) {
      pause.end()
      const left = await endTree(identity, { clock, signal: 'SIGHUP', graceMs })
      if (left.every(({ pid }) => pid !== identity.pid)) await ended
      return left.map(({ pid }) => pid)
    },
  }
}

/** Tells the state soon after a change, and at most once a second. Silent while nothing changes. */
function createStateTicker(clock: Clock, tell: () => Promise<void>): { soon(): void; stop(): void } {
  let toldAtMs = Number.NEGATIVE_INFINITY
  let cancelTimer: (() => void) | undefined
  return {
    soon() {
      cancelTimer ??= clock.after(Math.max(STATE_SOON_MS, toldAtMs + STATE_EVERY_MS - clock.nowMs()), () => {
        cancelTimer = undefined
        toldAtMs = clock.nowMs()
        // `tell` catches what can fail.
        void tell()
      })
    },
    stop: () => cancelTimer?.(),
  }
}
