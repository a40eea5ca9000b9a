/** All terminals of this Plimsoll, in a process of their own: their floods don't touch main, and a crash of theirs leaves it alive. */
import type { TerminalId } from '../../core/result/ids.ts'
import { problem } from '../../core/result/problem.ts'
import type { Clock } from '../platform/clock.ts'
import type { FromPtyHost, SpawnRequest, ToPtyHost } from './messages.ts'
import { createParseTurns } from './parse-turns.ts'
import { createPtyTerminal, type PtyTerminal } from './pty-terminal.ts'
import { createTextKeeper } from './text-keeper.ts'

/** At the end of Plimsoll the shells get less time than when one is closed: main waits 3 s for this process. */
const SHUTDOWN_GRACE_MS = 500

export interface PtyHost {
  receive(message: ToPtyHost): void
  /** Saves the text of all, ends their process trees, and waits for that. */
  close(): Promise<void>
}

export function createPtyHost({ clock, send }: { clock: Clock; send: (message: FromPtyHost) => void }): PtyHost {
  const terminals = new Map<TerminalId, PtyTerminal>()
  const keeper = createTextKeeper(clock)
  const turns = createParseTurns()

  function open(terminalId: TerminalId, request: SpawnRequest): void {
    try {
      const terminal = createPtyTerminal({ terminalId, request, clock, keeper, turns, send })
      terminals.set(terminalId, terminal)
      send({ type: 'opened', terminalId, ...terminal.identity })
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause)
      send({
        type: 'open-failed',
        terminalId,
        problem: problem(
          'terminal-refused',
          `The system gave no terminal for ${request.file} (${detail}).`,
          `${terminals.size} terminals of Plimsoll are open.`,
          'Close terminals that are not needed, here or in other programs, then try again.',
        ),
      })
    }
  }

  async function close(terminalId: TerminalId): Promise<void> {
    const left = (await terminals.get(terminalId)?.end()) ?? []
    if (left.length === 0) {
      terminals.delete(terminalId)
      await keeper.remove(terminalId)
    }
    send({ type: 'closed', terminalId, left })
  }

  return {
    receive(message) {
      const terminal = terminals.get(message.terminalId)
      switch (message.type) {
        case 'open':
          return open(message.terminalId, message.request)
        case 'close':
          return void close(message.terminalId)
        case 'write':
          return terminal?.write(message.data)
        case 'resize':
          return terminal?.resize(message.cols, message.rows)
        case 'attach':
          return terminal?.attach(message.viewer)
        case 'detach':
          return terminal?.detach(message.viewer)
        case 'ack':
          return terminal?.ack(message.viewer, message.bytes)
      }
    },
    async close() {
      await keeper.saveAll()
      await Promise.all([...terminals.values()].map((terminal) => terminal.end(SHUTDOWN_GRACE_MS)))
    },
  }
}
