/**
 * Which process of this machine listens on a port, and what it was started with. Linux only (/proc); elsewhere, for servers in containers
 * and for processes of others that may not be looked into, the answer is null.
 */
import { readdir, readFile, readlink } from 'node:fs/promises'

export interface ListeningProcess {
  readonly pid: number
  /** Null = may not be read. */
  readonly env: ReadonlyMap<string, string> | null
  readonly args: readonly string[]
  /** Arguments of each process below it. */
  readonly childArgs: readonly (readonly string[])[]
}

/** Hands the connection on to a server elsewhere, of which it says nothing. */
const FORWARDER = /(^|\/)(docker-proxy|rootlessport|gvproxy|slirp4netns|pasta|ssh|sshd|socat|nginx|haproxy|caddy|traefik|kubectl)(:|$)/

export async function findListeningProcess(
  host: string,
  port: number,
  platform: NodeJS.Platform = process.platform,
): Promise<ListeningProcess | null> {
  if (platform !== 'linux' || !(host === '::1' || host.startsWith('127.'))) return null
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')))
  const inodes = new Set(tables.flatMap((table) => listeningInodes(table, port)))
  if (inodes.size === 0) return null
  const pid = await ownerOf(inodes)
  if (pid === undefined) return null
  const [env, args, children] = await Promise.all([readEnv(pid), readArgs(pid), descendants(pid)])
  if (FORWARDER.test(args[0] ?? '')) return null
  return { pid, env, args, childArgs: await Promise.all(children.map(readArgs)) }
}

/** Sockets in the state LISTEN (0A) at this port, by inode. Columns: slot, local, remote, state, queues, timer, retransmits, uid, timeout, inode. */
export function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap((line) => {
    const columns = line.trim().split(/\s+/)
    return columns[3] === '0A' && columns[1]?.endsWith(suffix) === true && columns[9] !== undefined ? [columns[9]] : []
  })
}

async function ownerOf(inodes: ReadonlySet<string>): Promise<number | undefined> {
  const wanted = new Set([...inodes].map((inode) => `socket:[${inode}]`))
  for (const pid of await processIds()) {
    const folder = `/proc/${pid}/fd`
    const fds = await readdir(folder).catch(() => [])
    const links = await Promise.all(fds.map((fd) => readlink(`${folder}/${fd}`).catch(() => '')))
    if (links.some((link) => wanted.has(link))) return pid
  }
  return undefined
}

async function processIds(): Promise<number[]> {
  const names = await readdir('/proc')
  return names.filter((name) => /^\d+$/.test(name)).map(Number)
}

async function descendants(root: number): Promise<number[]> {
  const parents = await Promise.all((await processIds()).map(async (pid) => ({ pid, parent: await parentOf(pid) })))
  const found: number[] = []
  for (let wanted = [root]; wanted.length > 0; ) {
    const next = parents.filter(({ parent }) => parent !== undefined && wanted.includes(parent)).map(({ pid }) => pid)
    found.push(...next)
    wanted = next
  }
  return found
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name, in brackets, may hold anything: the fields count from its end.
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
  return parent === undefined ? undefined : Number(parent)
}

async function readArgs(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return text.split('\0').slice(0, -1)
}

async function readEnv(pid: number): Promise<ReadonlyMap<string, string> | null> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => null)
  if (text === null) return null
  return new Map(
    text.split('\0').flatMap((entry) => {
      const at = entry.indexOf('=')
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)] as const] : []
    }),
  )
}
