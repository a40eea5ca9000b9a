/** Who looks at which terminal, on main's side: hands chunks on, and tells the host what each viewer has taken. */
import type { TerminalId } from '../../../core/result/ids.ts'
import type { Problem } from '../../../core/result/problem.ts'
import type { ToPtyHost } from '../../pty-host/messages.ts'

/** A stream's sink: `next` gives a promise while the viewer has no room. */
export interface OutputViewer {
  next(chunk: Uint8Array): Promise<void> | undefined
  end(): void
  fail(problem: Problem): void
}

/** Acks are joined; must stay well below the host's window, or it would wait for an ack that waits for more. */
const ACK_EVERY_BYTES = 8 * 1024

type Link = { terminalId: TerminalId; viewer: OutputViewer; takenBytes: number; owedBytes: number }

export interface ViewerLinks {
  /** Returns what ends it. */
  add(terminalId: TerminalId, viewer: OutputViewer): () => void
  output(id: number, data: Uint8Array): void
  end(id: number): void
  /** Ends all viewers of a terminal that is no more. */
  endAll(terminalId: TerminalId): void
}

export function createViewerLinks(send: (message: ToPtyHost) => void): ViewerLinks {
  const links = new Map<number, Link>()
  let lastId = 0

  function taken(id: number, link: Link, bytes: number): void {
    link.takenBytes += bytes
    link.owedBytes -= bytes
    if (links.get(id) !== link || (link.takenBytes < ACK_EVERY_BYTES && link.owedBytes > 0)) return
    send({ type: 'ack', terminalId: link.terminalId, viewer: id, bytes: link.takenBytes })
    link.takenBytes = 0
  }
  const finish = (id: number) => {
    const link = links.get(id)
    links.delete(id)
    link?.viewer.end()
  }

  return {
    add(terminalId, viewer) {
      const id = ++lastId
      links.set(id, { terminalId, viewer, takenBytes: 0, owedBytes: 0 })
      send({ type: 'attach', terminalId, viewer: id })
      return () => {
        if (links.delete(id)) send({ type: 'detach', terminalId, viewer: id })
      }
    },
    output(id, data) {
      const link = links.get(id)
      if (link === undefined) return
      link.owedBytes += data.length
      const room = link.viewer.next(data)
      if (room === undefined) taken(id, link, data.length)
      else void room.then(() => taken(id, link, data.length))
    },
    end: finish,
    endAll(terminalId) {
      for (const [id, link] of [...links]) if (link.terminalId === terminalId) finish(id)
    },
  }
}
