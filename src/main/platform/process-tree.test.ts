import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { ManualClock, systemClock } from './clock.ts'
import { isRunning, type ProcessEntry, type ProcessIdentity, readProcess } from './process-table.ts'
import { endTree, findTree } from './process-tree.ts'

const entry = (pid: number, parentPid: number, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
  ...{ pid, parentPid, startId: `s${pid}`, sessionId: null, zombie: false },
  ...more,
})
const pids = (entries: ProcessEntry[]) => entries.map(({ pid }) => pid).sort((a, b) => a - b)

test('a tree is the root, its descendants, and the orphans of its session; zombies are left out', () => {
  const table = [
    entry(1, 0),
    entry(10, 1, { sessionId: 10 }),
    entry(11, 10, { sessionId: 10 }),
    entry(12, 11, { sessionId: 12 }),
    entry(13, 1, { sessionId: 10 }),
    entry(14, 13, { sessionId: 14 }),
    entry(15, 10, { sessionId: 10, zombie: true }),
    entry(20, 1, { sessionId: 20 }),
  ]
  expect(pids(findTree(table, { pid: 10, startId: 's10' }))).toEqual([10, 11, 12, 13, 14])
})

test('a pid that another process has by now leads to nothing', () => {
  const table = [entry(10, 1, { sessionId: 10, startId: 'later' }), entry(11, 10, { sessionId: 10 })]
  expect(findTree(table, { pid: 10, startId: 's10' })).toEqual([])
})

test('of a root that is gone, what is left of its session is found', () => {
  const table = [entry(11, 1, { sessionId: 10 }), entry(12, 1, { sessionId: 99 })]
  expect(pids(findTree(table, { pid: 10, startId: 's10' }))).toEqual([11])
})

test('what can not be ended is named', async () => {
  const clock = new ManualClock()
  clock.after = (delayMs, callback) => {
    queueMicrotask(() => {
      clock.advance(delayMs)
      callback()
    })
    return () => {}
  }
  // A pid far above what the system gives out: signals go nowhere.
  const stuck = entry(4_194_300, 1)
  expect(await endTree(stuck, { clock, graceMs: 100, readTable: () => [stuck] })).toMatchObject([{ pid: stuck.pid }])
})

/** Starts a script that prints the pids of its tree, one a line, and is done printing after `count`. */
async function startTree(script: string, count: number): Promise<{ child: ChildProcess; tree: ProcessIdentity[] }> {
  const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const tree: ProcessIdentity[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const found = readProcess(Number(line))
    if (found === undefined) throw new Error(`no process ${line}`)
    tree.push(found)
    if (tree.length === count) break
  }
  return { child, tree }
}

test('a tree ends politely when it can: children, a child in a session of its own, a stopped one', async () => {
  const script = 'echo $$; sleep 300 & echo $!; setsid sh -c "echo \\$\\$; exec sleep 300" & sleep 300 & kill -STOP $!; echo $!; wait'
  const { child, tree } = await startTree(script, 4)
  const root = tree[0] as ProcessIdentity
  const left = await endTree(root, { clock: systemClock, signal: 'SIGHUP', graceMs: 5_000 })
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  expect(left).toEqual([])
  expect(child.signalCode).toBe('SIGHUP')
  expect(tree.map(isRunning)).toEqual([false, false, false, false])
})

test('those that ignore the polite signal are killed after the grace, orphans among them', async () => {
  const script = 'trap "" HUP TERM; echo $$; (sleep 300 & echo $!); sleep 300 & echo $!; wait'
  const { child, tree } = await startTree(script, 3)
  const beganMs = systemClock.nowMs()
  const left = await endTree(tree[0] as ProcessIdentity, { clock: systemClock, signal: 'SIGHUP', graceMs: 200 })
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  expect(systemClock.nowMs() - beganMs).toBeGreaterThanOrEqual(200)
  expect(left).toEqual([])
  expect(tree.map(isRunning)).toEqual([false, false, false])
})
