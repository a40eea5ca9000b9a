/**
 * The person's terminals: opens, writes, resizes and closes them through the pty host, keeps the list, and brings those of an earlier Plimsoll
 * back as `interrupted` with their text. A terminal whose process is gone never reads as running.
 */
import { randomUUID } from 'node:crypto'
import type { TerminalId } from '../../../core/result/ids.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Terminal } from '../../../core/terminal/terminal.ts'
import type { ForkChild } from '../../platform/child.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { endTree } from '../../platform/process-tree.ts'
import type { FromPtyHost } from '../../pty-host/messages.ts'
import { createHostLink } from './host-link.ts'
import { createKeptTexts } from './kept-texts.ts'
import { type LaunchRequest, planLaunch } from './launch.ts'
import { createViewerLinks, type OutputViewer } from './viewer-links.ts'

/** What is kept of a terminal between two Plimsolls. `startId` with the pid names the shell's process beyond doubt. */
export type TerminalRecord = { readonly terminal: Terminal; readonly startId: string | null }

export interface TerminalRecords {
  saveTerminal(record: TerminalRecord): void
  removeTerminal(terminalId: TerminalId): void
  listTerminals(): TerminalRecord[]
}

export type OpenTerminal = LaunchRequest & { readonly cols: number; readonly rows: number }

export interface Terminals {
  /** Oldest first. */
  list(): Terminal[]
  /** The list is another now. Returns what stops it. */
  onChange(listener: () => void): () => void
  open(request: OpenTerminal): Promise<Result<Terminal, Problem>>
  /** Refused while the program has not read what it was given before. */
  write(terminalId: TerminalId, data: string): Result<void, Problem>
  resize(terminalId: TerminalId, cols: number, rows: number): Result<void, Problem>
  /** Ends the process tree and waits until it is gone; the entry and its text go. */
  closeTerminal(terminalId: TerminalId): Promise<Result<void, Problem>>
  /** A replay of screen and scrollback, then what the program prints; ends with the program. Returns what stops it. */
  output(terminalId: TerminalId, viewer: OutputViewer): () => void
  /** Of the process that holds the terminals. */
  hostPid(): number | undefined
  close(): Promise<void>
}

export interface TerminalsDeps {
  fork: ForkChild
  clock: Clock
  log: Log
  records: TerminalRecords
  /** Folder of the texts; made when missing. */
  scrollbackDir: string
  /** What terminals inherit, without Plimsoll's own. */
  env?: NodeJS.ProcessEnv
  newId?: () => TerminalId
}

/** Input on its way to one program. A paste of a megabyte fits. */
const MAX_WAITING_INPUT_BYTES = 2 * 1024 * 1024
const LEFTOVER_GRACE_MS = 500
const TELL_OUTPUT_EVERY_MS = 500
/** Ended terminals that come back after a restart; older ones go. */
const KEPT_ENDED = 50

type Entry = {
  terminal: Terminal
  startId: string | null
  /** The pty host of today has it, running or ended. */
  isHeld: boolean
  waitingInputBytes: number
  /** Those who wait for an answer of the host. */
  opened?: (result: Result<void, Problem>) => void
  closed?: Array<(left: number[]) => void>
}

const unknownTerminal = (terminalId: string) =>
  problem('terminal-unknown', `There is no terminal ${terminalId}.`, '', 'It was closed, perhaps in another window: choose one from the list.')
const hostEnded = problem('pty-host-ended', 'The process that holds the terminals has ended.', '', 'Open the terminal again: it is started anew.')
const inputFull = (title: string) =>
  problem('terminal-input-full', `${title} does not read its input at present.`, '', 'Wait until it reads again, or close the terminal.')
const processesLeft = (title: string, pids: readonly number[]) =>
  problem(
    'terminal-processes-left',
    `Processes of ${title} could not be ended: ${pids.join(', ')}.`,
    'All processes of a terminal end with it.',
    'Close it again in a moment; a process that waits for a disk or the network can take that long.',
  )

export function createTerminals(deps: TerminalsDeps): Terminals {
  const { fork, clock, log, records, scrollbackDir, env = process.env, newId = () => randomUUID() as TerminalId } = deps
  const entries = new Map<TerminalId, Entry>()
  const listeners = new Set<() => void>()
  const texts = createKeptTexts(scrollbackDir)
  const host = createHostLink({ fork, clock, onMessage: receive, onCrash: () => interruptAll() })
  const viewers = createViewerLinks(host.send)

  let cancelTelling: (() => void) | undefined
  const changed = () => {
    cancelTelling?.()
    cancelTelling = undefined
    for (const listener of listeners) listener()
  }
  function update(entry: Entry, change: Partial<Terminal>): void {
    entry.terminal = { ...entry.terminal, ...change }
    records.saveTerminal({ terminal: entry.terminal, startId: entry.startId })
    changed()
  }
  /** Output alone is worth no write, and is told for all terminals together. */
  function updateOutput(entry: Entry, lastOutputEpochMs: number): void {
    entry.terminal = { ...entry.terminal, lastOutputEpochMs }
    cancelTelling ??= clock.after(TELL_OUTPUT_EVERY_MS, changed)
  }
  function drop(terminalId: TerminalId): void {
    entries.delete(terminalId)
    records.removeTerminal(terminalId)
    viewers.endAll(terminalId)
    changed()
  }

  function receive(message: FromPtyHost): void {
    const entry = entries.get(message.terminalId)
    if (entry === undefined) return
    switch (message.type) {
      case 'output':
        viewers.output(message.viewer, message.data)
        break
      case 'output-end':
        viewers.end(message.viewer)
        break
      case 'opened':
        entry.startId = message.startId
        entry.isHeld = true
        update(entry, { pid: message.pid })
        entry.opened?.(ok(undefined))
        break
      case 'open-failed':
        entry.opened?.(err(message.problem))
        break
      case 'state': {
        updateOutput(entry, message.lastOutputEpochMs)
        const title = message.title ?? entry.terminal.title
        const cwd = message.cwd ?? entry.terminal.cwd
        if (title !== entry.terminal.title || cwd !== entry.terminal.cwd) update(entry, { title, cwd })
        break
      }
      case 'taken':
        entry.waitingInputBytes = Math.max(0, entry.waitingInputBytes - message.bytes)
        break
      case 'exited':
        update(entry, { status: 'exited', pid: null, exitCode: message.exitCode, signal: message.signal })
        break
      case 'closed':
        for (const answer of entry.closed?.splice(0) ?? []) answer(message.left)
    }
  }

  /** The pty host is gone. The kernel has told the shells; those that did not listen are ended here. */
  function interruptAll(): void {
    log.error('The process that holds the terminals has ended')
    for (const [terminalId, entry] of entries) {
      entry.opened?.(err(hostEnded))
      for (const answer of entry.closed?.splice(0) ?? []) answer([])
      entry.isHeld = false
      if (entry.terminal.status !== 'running') continue
      void endLeftovers(entry)
      update(entry, { status: 'interrupted', pid: null })
      viewers.endAll(terminalId)
    }
  }
  async function endLeftovers({ terminal, startId }: { terminal: Terminal; startId: string | null }): Promise<void> {
    if (terminal.pid === null || startId === null) return
    const left = await endTree({ pid: terminal.pid, startId }, { clock, signal: 'SIGHUP', graceMs: LEFTOVER_GRACE_MS })
    if (left.length > 0) log.error(`Processes of the terminal ${terminal.title} run on: ${left.map(({ pid }) => pid).join(', ')}`)
  }

  /** Those that ran when Plimsoll ended: their processes are gone, or are ended now. */
  function bringBack(): Promise<unknown> {
    const all = records.listTerminals()
    const tooMany = all.slice(0, Math.max(0, all.length - KEPT_ENDED))
    for (const { terminal } of tooMany) records.removeTerminal(terminal.terminalId)
    for (const { terminal, startId } of all.slice(tooMany.length)) {
      const entry: Entry = { terminal, startId, isHeld: false, waitingInputBytes: 0 }
      entries.set(terminal.terminalId, entry)
      if (terminal.status === 'running') update(entry, { status: 'interrupted', pid: null })
    }
    return Promise.all([
      ...all.filter(({ terminal }) => terminal.status === 'running').map(endLeftovers),
      texts.removeOthers(new Set(entries.keys())),
    ])
  }
  const broughtBack = bringBack()

  async function askToClose(entry: Entry): Promise<number[]> {
    const { terminalId } = entry.terminal
    if (!entry.isHeld) return []
    const answer = new Promise<number[]>((resolve) => {
      entry.closed = [...(entry.closed ?? []), resolve]
    })
    host.send({ type: 'close', terminalId })
    return answer
  }

  async function replayKept(terminalId: TerminalId, viewer: OutputViewer, isStopped: () => boolean): Promise<void> {
    const text = await texts.read(terminalId)
    if (isStopped()) return
    if (text !== undefined) await viewer.next(new TextEncoder().encode(`\x1bc${text}`))
    viewer.end()
  }

  return {
    list: () => [...entries.values()].map(({ terminal }) => terminal),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async open({ cols, rows, ...request }) {
      const planned = await planLaunch(request, env)
      if (!planned.ok) return planned
      const ready = host.ready()
      if (!ready.ok) return ready
      const { title, command, ...launch } = planned.value
      const terminalId = newId()
      const nowMs = clock.epochMs()
      const entry: Entry = {
        terminal: {
          ...{ terminalId, title, cwd: launch.cwd, command, createdEpochMs: nowMs, cols, rows },
          ...{ status: 'running', exitCode: null, signal: null, pid: null, lastOutputEpochMs: nowMs },
        },
        startId: null,
        isHeld: false,
        waitingInputBytes: 0,
      }
      entries.set(terminalId, entry)
      const opened = await new Promise<Result<void, Problem>>((resolve) => {
        entry.opened = resolve
        host.send({ type: 'open', terminalId, request: { ...launch, cols, rows, textPath: texts.pathOf(terminalId) } })
      })
      delete entry.opened
      if (opened.ok) return ok(entry.terminal)
      drop(terminalId)
      return opened
    },
    write(terminalId, data) {
      const entry = entries.get(terminalId)
      if (entry === undefined) return err(unknownTerminal(terminalId))
      // Keys pressed in a pane whose program has ended go nowhere, and that is no fault.
      if (entry.terminal.status !== 'running') return ok(undefined)
      const bytes = Buffer.byteLength(data)
      if (entry.waitingInputBytes + bytes > MAX_WAITING_INPUT_BYTES) return err(inputFull(entry.terminal.title))
      entry.waitingInputBytes += bytes
      host.send({ type: 'write', terminalId, data })
      return ok(undefined)
    },
    resize(terminalId, cols, rows) {
      const entry = entries.get(terminalId)
      if (entry === undefined) return err(unknownTerminal(terminalId))
      if (entry.terminal.status !== 'running' || (entry.terminal.cols === cols && entry.terminal.rows === rows)) return ok(undefined)
      host.send({ type: 'resize', terminalId, cols, rows })
      update(entry, { cols, rows })
      return ok(undefined)
    },
    async closeTerminal(terminalId) {
      const entry = entries.get(terminalId)
      if (entry === undefined) return err(unknownTerminal(terminalId))
      const left = await askToClose(entry)
      if (left.length > 0) return err(processesLeft(entry.terminal.title, left))
      if (entries.has(terminalId)) drop(terminalId)
      await texts.remove(terminalId)
      return ok(undefined)
    },
    output(terminalId, viewer) {
      const entry = entries.get(terminalId)
      if (entry === undefined) {
        viewer.fail(unknownTerminal(terminalId))
        return () => {}
      }
      if (entry.isHeld) return viewers.add(terminalId, viewer)
      let stopped = false
      void replayKept(terminalId, viewer, () => stopped)
      return () => {
        stopped = true
      }
    },
    hostPid: host.pid,
    async close() {
      await broughtBack
      await host.stop()
      cancelTelling?.()
      await Promise.all([...entries.values()].filter(({ terminal }) => terminal.status === 'running').map(endLeftovers))
      listeners.clear()
    },
  }
}
