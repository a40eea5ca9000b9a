/**
 * The system's processes at one moment, each with an identity that no later process can share: its pid and the moment it began.
 * Linux reads /proc; macOS asks ps; Windows asks PowerShell (slow: for rare questions only).
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export type ProcessIdentity = {
  readonly pid: number
  /** Opaque; equal only for the same process. On Linux the boot's id and the tick it began in. */
  readonly startId: string
}

export type ProcessEntry = ProcessIdentity & {
  readonly parentPid: number
  /** Pid of the session's leader, for a terminal its shell; null where the system does not say. */
  readonly sessionId: number | null
  /** Ended, and only waits for its parent to notice. */
  readonly zombie: boolean
}

/** Fields of /proc/<pid>/stat after the program's name; the name may hold spaces and brackets, so everything counts from the last bracket. */
export function parseProcStat(text: string): { state: string; parentPid: number; sessionId: number; startTicks: string } | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parentPid, , sessionId] = fields
  // Field 22 of proc(5); the first here is field 3.
  const startTicks = fields[19]
  if (state === undefined || parentPid === undefined || sessionId === undefined || startTicks === undefined) return undefined
  return { state, parentPid: Number(parentPid), sessionId: Number(sessionId), startTicks }
}

/** Lines of `ps -axo pid=,ppid=,stat=,lstart=`: the start stands last, in five words. */
export function parsePs(text: string): ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [pid, parentPid, state, ...start] = line.trim().split(/\s+/)
    if (pid === undefined || parentPid === undefined || state === undefined || start.length === 0) return []
    return [{ pid: Number(pid), parentPid: Number(parentPid), startId: start.join(' '), sessionId: null, zombie: state.startsWith('Z') }]
  })
}

/** Lines of `pid,ppid,start`. */
export function parsePowerShell(text: string): ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [pid, parentPid, startId] = line.trim().split(',')
    if (!pid || !parentPid || !startId) return []
    return [{ pid: Number(pid), parentPid: Number(parentPid), startId, sessionId: null, zombie: false }]
  })
}

let bootId: string | undefined

function readBootId(): string {
  try {
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    bootId = 'unknown-boot'
  }
  return bootId
}

function readLinuxProcess(pid: number): ProcessEntry | undefined {
  try {
    const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    if (stat === undefined) return undefined
    const { state, parentPid, sessionId, startTicks } = stat
    return { pid, parentPid, sessionId, startId: `${readBootId()}:${startTicks}`, zombie: state === 'Z' || state === 'X' }
  } catch {
    // It has ended since its folder was listed.
    return undefined
  }
}

const ASK_LIMIT_MS = 10_000

function ask(file: string, args: string[]): string {
  try {
    const env = { ...process.env, LC_ALL: 'C' }
    return execFileSync(file, args, { encoding: 'utf8', timeout: ASK_LIMIT_MS, env, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true })
  } catch {
    // ps ends with 1 when the pid it was asked about is gone.
    return ''
  }
}

const psArguments = ['-o', 'pid=,ppid=,stat=,lstart=']
const windowsQuery = (filter: string) => [
  '-NoProfile',
  '-Command',
  `Get-CimInstance Win32_Process ${filter} | ForEach-Object { "$($_.ProcessId),$($_.ParentProcessId),$($_.CreationDate.Ticks)" }`,
]

/** All processes that this person may see, ended but unreaped ones included. Linux: about 2 ms for 74 processes. */
export function readProcessTable(): ProcessEntry[] {
  switch (process.platform) {
    case 'linux':
      return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readLinuxProcess(Number(name)) ?? []) : []))
    case 'win32':
      return parsePowerShell(ask('powershell', windowsQuery('')))
    default:
      return parsePs(ask('ps', ['-ax', ...psArguments]))
  }
}

/** @returns undefined when there is no such process */
export function readProcess(pid: number): ProcessEntry | undefined {
  switch (process.platform) {
    case 'linux':
      return readLinuxProcess(pid)
    case 'win32':
      return parsePowerShell(ask('powershell', windowsQuery(`-Filter "ProcessId=${pid}"`)))[0]
    default:
      return parsePs(ask('ps', ['-p', String(pid), ...psArguments]))[0]
  }
}

/** Whether that very process still runs: another one with the same pid, or a zombie, does not count. */
export function isRunning({ pid, startId }: ProcessIdentity): boolean {
  const entry = readProcess(pid)
  return entry !== undefined && entry.startId === startId && !entry.zombie
}

let own: ProcessIdentity | undefined

/** The process that asks. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, startId: readProcess(process.pid)?.startId ?? 'unknown' }
  return own
}
