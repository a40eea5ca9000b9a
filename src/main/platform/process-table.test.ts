import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { isRunning, ownIdentity, parsePowerShell, parseProcStat, parsePs, readProcess, readProcessTable } from './process-table.ts'

test('reads a stat line whose program name holds brackets and spaces', () => {
  const text =
    '4242 (a) b (x y)) S 17 4242 4240 34816 4300 4194304 1029 2 0 0 7 3 0 0 20 0 1 0 987654 6258688 812 18446744073709551615 1 1 0 0 0 0 65536 3670020 1266777851 0 0 0 17 1 0 0 0 0 0'
  expect(parseProcStat(text)).toEqual({ state: 'S', parentPid: 17, sessionId: 4240, startTicks: '987654' })
  expect(parseProcStat('')).toBeUndefined()
})

test('reads the answers of ps and PowerShell', () => {
  expect(parsePs('    1     0 Ss   Mon Jul 13 09:12:44 2026\n  812     1 Z+   Mon Jul 13 09:13:01 2026\n\n')).toEqual([
    { pid: 1, parentPid: 0, startId: 'Mon Jul 13 09:12:44 2026', sessionId: null, zombie: false },
    { pid: 812, parentPid: 1, startId: 'Mon Jul 13 09:13:01 2026', sessionId: null, zombie: true },
  ])
  expect(parsePowerShell('4,0,638000000000000000\r\n\r\n')).toEqual([
    { pid: 4, parentPid: 0, startId: '638000000000000000', sessionId: null, zombie: false },
  ])
})

test('the table holds this process, and a child with it as parent', async () => {
  const child = spawn('sleep', ['30'])
  try {
    const table = readProcessTable()
    expect(table.find(({ pid }) => pid === process.pid)?.startId).toBe(ownIdentity().startId)
    expect(table.find(({ pid }) => pid === child.pid)?.parentPid).toBe(process.pid)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

test('a process runs until it has ended, and never under another start', async () => {
  const child = spawn('sleep', ['30'])
  const identity = readProcess(child.pid ?? 0)
  if (identity === undefined) throw new Error('the child is not in the table')
  expect(isRunning(identity)).toBe(true)
  expect(isRunning({ pid: identity.pid, startId: 'another' })).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isRunning(identity)).toBe(false)
})
