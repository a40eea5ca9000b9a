/**
 * Ends a process with all that came of it: found in one snapshot of the process table, each named by pid and start,
 * looked at again before every blow, and awaited. A pid that another process has by now is never touched.
 */
import { execFileSync } from 'node:child_process'
import type { Clock } from './clock.ts'
import { type ProcessEntry, type ProcessIdentity, readProcessTable } from './process-table.ts'

const POLL_MS = 30
/** After SIGKILL a process is gone within milliseconds, unless it hangs in the kernel (a dead network disk). */
const KILL_WAIT_MS = 3_000

const keyOf = ({ pid, startId }: ProcessIdentity) => `${pid}/${startId}`

/**
 * The root, its descendants, and the members of the session it leads (children of a shell that lost their parent stay in its session).
 * Empty when the root's pid belongs to another process now; without the root, what is left of its session. Zombies are not listed.
 */
export function findTree(table: readonly ProcessEntry[], root: ProcessIdentity): ProcessEntry[] {
  const atRoot = table.find(({ pid }) => pid === root.pid)
  if (atRoot !== undefined && atRoot.startId !== root.startId) return []
  const children = new Map<number, ProcessEntry[]>()
  for (const entry of table) children.set(entry.parentPid, [...(children.get(entry.parentPid) ?? []), entry])
  const found = new Set<ProcessEntry>(table.filter((entry) => entry === atRoot || entry.sessionId === root.pid))
  for (const entry of found) for (const child of children.get(entry.pid) ?? []) found.add(child)
  return [...found].filter(({ zombie }) => !zombie)
}

export type EndTreeOptions = {
  clock: Clock
  /** The polite signal; SIGKILL follows after the grace. */
  signal?: NodeJS.Signals
  graceMs: number
  /** For tests. */
  readTable?: () => ProcessEntry[]
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself, or is not ours to end; the next look tells.
  }
}

/** @returns the processes that still run: none, unless the system refuses to end them */
export async function endTree(root: ProcessIdentity, options: EndTreeOptions): Promise<ProcessIdentity[]> {
  const { clock, signal = 'SIGTERM', graceMs, readTable = readProcessTable } = options
  const known = new Map<string, ProcessIdentity>()
  /** All that belong to the tree now, or did at an earlier look (one that has changed its parent and session meanwhile). */
  const look = (): ProcessIdentity[] => {
    const table = readTable()
    for (const entry of findTree(table, root)) known.set(keyOf(entry), entry)
    // What those of earlier looks have started since.
    const present = table.filter((entry) => known.has(keyOf(entry)))
    for (const entry of present) for (const found of findTree(table, entry)) known.set(keyOf(found), found)
    return table.filter((entry) => !entry.zombie && known.has(keyOf(entry)))
  }
  const gone = async (limitMs: number, again: (left: ProcessIdentity[]) => void): Promise<ProcessIdentity[]> => {
    const untilMs = clock.nowMs() + limitMs
    for (;;) {
      const left = look()
      if (left.length === 0 || clock.nowMs() >= untilMs) return left
      again(left)
      await new Promise<void>((resolve) => clock.after(POLL_MS, resolve))
    }
  }

  const first = look()
  if (process.platform === 'win32') return endOnWindows(first, () => gone(KILL_WAIT_MS, () => {}))
  for (const { pid } of first) send(pid, signal)
  // A stopped process takes no signal but these.
  for (const { pid } of first) send(pid, 'SIGCONT')
  await gone(graceMs, () => {})
  return gone(KILL_WAIT_MS, (left) => {
    for (const { pid } of left) send(pid, 'SIGKILL')
  })
}

/** Windows has no signals: taskkill takes the tree of each. */
function endOnWindows(first: readonly ProcessIdentity[], gone: () => Promise<ProcessIdentity[]>): Promise<ProcessIdentity[]> {
  for (const { pid } of first) {
    try {
      execFileSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    } catch {
      // Ended along with its parent.
    }
  }
  return gone()
}
