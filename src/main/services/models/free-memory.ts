/** Memory of this machine that a model could still take: on Linux what the kernel calls available, since caches give way. */
import { readFile } from 'node:fs/promises'
import { freemem } from 'node:os'

export async function freeMemoryBytes(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const match = /^MemAvailable:\s+(\d+) kB/m.exec(text)
  return match === null ? freemem() : Number(match[1]) * 1024
}
