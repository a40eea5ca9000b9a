/**
 * CPU and memory of processes and process trees on Linux. Keeps one open file per process, which also guards against reused pids:
 * the file of a process that has ended can't be read any more, whoever has its number now.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { type KeptFile, openKeptFile } from './kept-file.ts'
import type { ProcessUse } from './probe.ts'
import { descendants, parseProcessUse } from './proc-texts.ts'

/** The kernel counts CPU in ticks of 10 ms: over a quarter of a second that would be steps of 4 %, over a second 1 %. */
const WINDOW_MS = 1_000
const SCAN_EVERY_MS = 1_000
/** A known process is not read again at a scan, so a new parent shows only here. */
const FULL_SCAN_EVERY_MS = 30_000
/** Files kept open at most; a tree beyond that is summed over its first members. */
const MAX_FILES = 512

type Track = { file: KeptFile; readings: Array<{ atMs: number; cpuTicks: number }>; rssPages: number; lastAtMs: number }

export interface LinuxProcesses {
  read(process: { pid: number; tree: boolean }, nowMs: number): ProcessUse | null
  /** Lets go of the files of processes that were not asked for since `sinceMs`. */
  forgetUnread(sinceMs: number): void
  close(): void
}

export function createLinuxProcesses(units: { pageBytes: number; ticksPerSec: number }): LinuxProcesses {
  const tracks = new Map<number, Track>()
  const parents = new Map<number, number>()
  /** Members of each tree asked for, as of the last scan. */
  const members = new Map<number, number[]>()
  let scannedAtMs = Number.NEGATIVE_INFINITY
  let scannedFullyAtMs = Number.NEGATIVE_INFINITY

  function scan(nowMs: number): void {
    if (nowMs - scannedAtMs < SCAN_EVERY_MS * 0.9) return
    scannedAtMs = nowMs
    members.clear()
    if (nowMs - scannedFullyAtMs >= FULL_SCAN_EVERY_MS) {
      parents.clear()
      scannedFullyAtMs = nowMs
    }
    const present = new Set<number>()
    for (const name of readdirSync('/proc')) {
      const pid = Number(name)
      if (!Number.isInteger(pid)) continue
      present.add(pid)
      if (!parents.has(pid)) parents.set(pid, readParent(pid) ?? 0)
    }
    for (const pid of parents.keys()) if (!present.has(pid)) parents.delete(pid)
  }

  function trackOf(pid: number): Track | undefined {
    const known = tracks.get(pid)
    if (known !== undefined) return known
    if (tracks.size >= MAX_FILES) return undefined
    const track: Track = { file: openKeptFile(`/proc/${pid}/stat`), readings: [], rssPages: 0, lastAtMs: Number.NEGATIVE_INFINITY }
    tracks.set(pid, track)
    return track
  }

  function update(pid: number, nowMs: number): Track | undefined {
    const track = trackOf(pid)
    if (track === undefined || track.lastAtMs === nowMs) return track
    const text = track.file.read()
    const use = text === undefined ? undefined : parseProcessUse(text)
    if (use === undefined) {
      track.file.close()
      tracks.delete(pid)
      return undefined
    }
    track.lastAtMs = nowMs
    track.rssPages = use.rssPages
    track.readings.push({ atMs: nowMs, cpuTicks: use.cpuTicks })
    // Keep the newest reading that is a whole window old, and all after it.
    while ((track.readings[1]?.atMs ?? nowMs) <= nowMs - WINDOW_MS) track.readings.shift()
    return track
  }

  function treeOf(root: number): number[] {
    const known = members.get(root)
    if (known !== undefined) return known
    const found = descendants(parents, root)
    members.set(root, found)
    return found
  }

  const percentOf = ({ readings }: Track) => {
    const [first, last] = [readings[0], readings.at(-1)]
    if (first === undefined || last === undefined || last.atMs === first.atMs) return 0
    return (100_000 * (last.cpuTicks - first.cpuTicks)) / units.ticksPerSec / (last.atMs - first.atMs)
  }

  return {
    read({ pid, tree }, nowMs) {
      if (update(pid, nowMs) === undefined) return null
      if (tree) scan(nowMs)
      let cpuPercent = 0
      let rssPages = 0
      for (const member of tree ? treeOf(pid) : [pid]) {
        const track = update(member, nowMs)
        if (track === undefined) continue
        cpuPercent += percentOf(track)
        rssPages += track.rssPages
      }
      return { cpuPercent, rssBytes: rssPages * units.pageBytes }
    },
    forgetUnread(sinceMs) {
      for (const [pid, track] of tracks) {
        if (track.lastAtMs >= sinceMs) continue
        track.file.close()
        tracks.delete(pid)
      }
    },
    close() {
      for (const { file } of tracks.values()) file.close()
      tracks.clear()
    },
  }
}

function readParent(pid: number): number | undefined {
  try {
    return parseProcessUse(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.parentPid
  } catch {
    return undefined
  }
}
