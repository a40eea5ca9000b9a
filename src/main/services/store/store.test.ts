import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bundleChild } from '../../../../test/bundle-child.ts'
import type { SessionId, SweepId, TerminalId, TurnId } from '../../../core/result/ids.ts'
import { type Problem, problemText } from '../../../core/result/problem.ts'
import { sessionSettingsSchema } from '../../../core/session/session-event.ts'
import type { SweepEvent } from '../../../core/sweep/sweep-event.ts'
import type { Terminal } from '../../../core/terminal/terminal.ts'
import { ManualClock, systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { ownIdentity } from '../../platform/process-table.ts'
import { DATABASE_FILE, openDatabase } from './database.ts'
import { MIGRATIONS, migrate } from './migrations.ts'
import { openStore, type Store } from './store.ts'
import { createSweepStore } from './sweeps.ts'

let dir: string
let open: Store[] = []

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-store-'))
})
afterEach(async () => {
  for (const store of open) await store.close()
  open = []
  rmSync(dir, { recursive: true, force: true })
})

function openHere(clock = new ManualClock(), folder = dir): Store {
  const opened = openStore({ dir: folder, clock, log: silentLog })
  if (!opened.ok) throw new Error(problemText(opened.error))
  open.push(opened.value)
  return opened.value
}
async function closeHere(store: Store) {
  await store.close()
  open = open.filter((other) => other !== store)
}
function problemOf(folder: string): Problem {
  const opened = openStore({ dir: folder, clock: systemClock, log: silentLog })
  if (opened.ok) {
    open.push(opened.value)
    throw new Error('it opened')
  }
  return opened.error
}

const id = 'sweep-1' as SweepId
const opening = (sweepId = id) => ({ sweepId, startedEpochMs: 1000, targetLabel: 'llama', simulated: false, levels: [1, 2, 4], cellsPlanned: 9 })
const started = (cell: number): SweepEvent => ({ type: 'cell-started', atMs: cell * 10, cell })
const ended = (cell: number): SweepEvent => ({ type: 'cell-ended', atMs: cell * 10 + 5, cell, driver: null, drainMs: null })

describe('sweeps', () => {
  test('a sweep is read back as it was written, also by another process that has the file open', () => {
    const store = openHere()
    const other = openHere()
    expect(store.createSweep(opening())).toEqual({ ok: true, value: 1 })
    const events = [started(0), ended(0), started(1)]
    store.appendSweepEvents(id, events)
    expect(store.readSweepEvents(id)).toEqual(events)
    expect(other.readSweepEvents(id)).toEqual(events)
    expect(other.listSweeps()[0]).toMatchObject({ number: 1, status: 'running', levels: [1, 2, 4], cellsDone: 1, cellsPlanned: 9, verdict: null })
  })

  test('writes are laid down together: after 250 ms, or as soon as there are 200', () => {
    const clock = new ManualClock()
    const store = openHere(clock)
    const reader = openHere()
    store.createSweep(opening())
    store.appendSweepEvents(id, [started(0)])
    clock.advance(249)
    expect(reader.readSweepEvents(id)).toHaveLength(0)
    clock.advance(1)
    expect(reader.readSweepEvents(id)).toHaveLength(1)
    store.appendSweepEvents(
      id,
      Array.from({ length: 201 }, (_, i) => started(i)),
    )
    expect(reader.readSweepEvents(id)).toHaveLength(201)
  })

  test('close lays down what still waits', async () => {
    const store = openHere()
    store.createSweep(opening())
    store.appendSweepEvents(id, [started(0)])
    await closeHere(store)
    expect(openHere().readSweepEvents(id)).toEqual([started(0)])
  })

  test('the summary stands in the list, newest sweep first', () => {
    const store = openHere()
    store.createSweep(opening())
    store.createSweep(opening('sweep-2' as SweepId))
    const verdict = { primary: 'model_server_queue', confidence: 'confirmed', sentence: 'The queue.' }
    store.finishSweep(id, { status: 'completed', durationMs: 1234, verdict, ceiling: '4' })
    expect(store.listSweeps()).toMatchObject([
      { number: 2, status: 'running' },
      { number: 1, status: 'completed', durationMs: 1234, verdict, ceiling: '4' },
    ])
  })

  test('an imported sweep is there whole and ended; a second time, or over one that is here, nothing changes', () => {
    const store = openHere()
    const summary = { status: 'completed' as const, durationMs: 15, verdict: null, ceiling: '4' }
    expect(store.importSweep(opening(), [started(0), ended(0)], summary)).toEqual({ ok: true, value: { isNew: true } })
    const before = store.listSweeps()
    expect(before).toMatchObject([{ number: 1, status: 'completed', cellsDone: 1, ceiling: '4' }])
    expect(store.importSweep(opening(), [started(0), ended(0), started(1)], { ...summary, ceiling: '8' })).toEqual({
      ok: true,
      value: { isNew: false },
    })
    expect(store.listSweeps()).toEqual(before)
    expect(store.readSweepEvents(id)).toEqual([started(0), ended(0)])
  })

  test('a sweep that goes on is running again, without its old verdict; levels and cells follow what is added, left out and measured', () => {
    const store = openHere()
    store.createSweep(opening())
    const verdict = { primary: 'model_server_queue', confidence: 'confirmed', sentence: 'The queue.' }
    store.finishSweep(id, { status: 'cancelled', durationMs: 1234, verdict, ceiling: '4', levels: [1, 2] })
    expect(store.listSweeps()[0]).toMatchObject({ status: 'cancelled', levels: [1, 2], verdict })
    expect(store.reopenSweep(id)).toMatchObject({ ok: true })
    store.appendSweepEvents(id, [
      { type: 'sweep-resumed', atMs: 2_000, epochMs: 0 },
      { type: 'cell-skipped', atMs: 2_001, cell: 1, because: 'Needless.' },
      { type: 'cell-skipped', atMs: 2_002, cell: 2, because: 'Needless.' },
    ])
    expect(store.listSweeps()[0]).toMatchObject({ status: 'running', verdict: null, cellsPlanned: 7, durationMs: 2_002 })
    store.finishSweep(id, { status: 'completed', durationMs: 3_000, verdict, ceiling: '8', levels: [1, 2, 4, 8] })
    expect(store.listSweeps()[0]).toMatchObject({ status: 'completed', levels: [1, 2, 4, 8], ceiling: '8', verdict })
  })

  test('a removed sweep takes its events along, and its number is not given again', () => {
    const store = openHere()
    let changes = 0
    store.onSweepsChange(() => changes++)
    store.createSweep(opening())
    store.appendSweepEvents(id, [started(0)])
    expect(store.removeSweep(id).ok).toBe(true)
    expect(changes).toBeGreaterThan(1)
    expect(store.listSweeps()).toEqual([])
    const db = openDatabase(dir)
    if (!db.ok) throw new Error('unopened')
    expect(db.value.rows('SELECT count(*) FROM sweep_event')).toEqual([[0]])
    db.value.close()
    expect(store.createSweep(opening())).toEqual({ ok: true, value: 2 })
  })

  test('a damaged event is left out and hides no other', () => {
    const store = openHere()
    store.createSweep(opening())
    store.appendSweepEvents(id, [started(0), started(1), started(2)])
    store.flush()
    const db = openDatabase(dir)
    if (!db.ok) throw new Error('unopened')
    db.value.run(`UPDATE sweep_event SET json = '{"type":"cell-st' WHERE id = 2`)
    db.value.close()
    expect(store.readSweepEvents(id)).toEqual([started(0), started(2)])
  })
})

describe('chats, latencies, terminals, values', () => {
  const chat = {
    ...{ sessionId: 's1' as SessionId, title: 'Chat', createdEpochMs: 5, lastActivityEpochMs: 6 },
    settings: sessionSettingsSchema.parse({ serverUrl: 'http://127.0.0.1:11434', model: 'm' }),
  }

  test('a chat comes back with its events until it is removed', () => {
    const store = openHere()
    store.saveChat(chat)
    store.saveChat({ ...chat, title: 'Renamed' })
    const event = { type: 'turn-started' as const, seq: 1, atMs: 3, turnId: 't1' as TurnId }
    store.appendSessionEvents(chat.sessionId, [event])
    expect(store.listChats()).toEqual([{ ...chat, title: 'Renamed' }])
    expect(store.readSessionEvents(chat.sessionId)).toEqual([event])
    store.removeChat(chat.sessionId)
    expect([store.listChats(), store.readSessionEvents(chat.sessionId)]).toEqual([[], []])
  })

  test('the newest latencies are read, oldest of them first', () => {
    const store = openHere()
    const none = { ttfaMs: null, firstModelRequestMs: null, doneMs: null }
    for (let i = 0; i < 5; i++) store.addLatency({ endedEpochMs: i, origin: 'chat', outcome: 'completed', ...none, wallMs: i })
    expect(store.readLatencies(2).map(({ wallMs }) => wallMs)).toEqual([3, 4])
  })

  test('values are kept by key, and undefined removes one', async () => {
    const store = openHere()
    store.setValue('layout', { panes: [1, 2] })
    store.setValue('gone', 1)
    store.setValue('gone', undefined)
    await closeHere(store)
    const again = openHere()
    expect([again.getValue('layout'), again.getValue('gone')]).toEqual([{ panes: [1, 2] }, undefined])
  })

  test('terminals come back with the identity of their shell', () => {
    const store = openHere()
    const terminal: Terminal = {
      ...{ terminalId: 't1' as TerminalId, title: 'bash', cwd: '/', command: 'bash', createdEpochMs: 1, cols: 80, rows: 24 },
      ...{ status: 'running', exitCode: null, signal: null, pid: 77, lastOutputEpochMs: 2 },
    }
    store.saveTerminal({ terminal, startId: 'boot:1' })
    expect(store.listTerminals()).toEqual([{ terminal, startId: 'boot:1' }])
    store.removeTerminal(terminal.terminalId)
    expect(store.listTerminals()).toEqual([])
  })
})

describe('bad files and folders', () => {
  test('a file that is no database: says which, and what to do; the file stays as it is', () => {
    const path = join(dir, DATABASE_FILE)
    const text = 'no database at all. '.repeat(500)
    writeFileSync(path, text)
    const found = problemOf(dir)
    expect(found.code).toBe('database-corrupt')
    expect(found.happened).toContain(path)
    expect(found.todo).toContain('--data')
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('a database with a damaged page is refused and stays as it is', async () => {
    const store = openHere()
    store.createSweep(opening())
    for (let i = 0; i < 400; i++) store.appendSweepEvents(id, [started(i)])
    await closeHere(store)
    const path = join(dir, DATABASE_FILE)
    const bytes = readFileSync(path)
    bytes.fill(0xa5, 4096 * 2, 4096 * 6)
    writeFileSync(path, bytes)
    expect(problemOf(dir).code).toBe('database-corrupt')
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('a database of a newer Plimsoll is not touched', () => {
    openHere()
    const db = openDatabase(dir)
    if (!db.ok) throw new Error('unopened')
    db.value.exec('PRAGMA user_version=99')
    db.value.close()
    const found = problemOf(dir)
    expect(found.code).toBe('database-newer')
    expect(found.happened).toContain('99')
  })

  test('a sweep that finds no room on the disk is refused with a sentence, and what was stored stays', () => {
    openHere().createSweep(opening())
    const db = openDatabase(dir)
    if (!db.ok) throw new Error('unopened')
    const behind = { add: () => {}, flush: () => ({ ok: true as const, value: undefined }), close: () => ({ ok: true as const, value: undefined }) }
    const sweeps = createSweepStore({ db: db.value, behind, owner: ownIdentity(), log: silentLog, changed: () => {} })
    const pages = Number(db.value.rows('PRAGMA page_count')[0]?.[0])
    db.value.rows(`PRAGMA max_page_count=${pages}`)
    const refused = sweeps.createSweep({ ...opening('big' as SweepId), targetLabel: 'x'.repeat(50_000) })
    expect(refused).toMatchObject({ ok: false, error: { code: 'disk-full', happened: expect.stringContaining(dir) } })
    expect(sweeps.listSweeps()).toHaveLength(1)
    db.value.close()
  })

  test('a folder that can be neither made nor written is named', () => {
    // Root may write anywhere but there.
    expect(problemOf('/proc/self/plimsoll')).toMatchObject({ code: 'data-folder-unwritable' })
    const file = join(dir, 'file')
    writeFileSync(file, '')
    expect(problemOf(join(file, 'data')).happened).toContain(file)
    const folderInItsPlace = join(dir, 'taken')
    mkdirSync(join(folderInItsPlace, 'plimsoll.db'), { recursive: true })
    expect(problemOf(folderInItsPlace).happened).toContain(folderInItsPlace)
    if (process.getuid?.() === 0) return
    const readOnly = join(dir, 'read-only')
    mkdirSync(readOnly)
    chmodSync(readOnly, 0o555)
    expect(problemOf(readOnly).code).toBe('data-folder-unwritable')
  })
})

describe('migrations', () => {
  test.each(MIGRATIONS.map((_, i) => i + 1))('a database of version %i is raised to the newest with all that is in it', (version) => {
    const old = openDatabase(dir)
    if (!old.ok) throw new Error('unopened')
    expect(migrate(old.value, MIGRATIONS.slice(0, version))).toEqual({ ok: true, value: { from: 0, to: version } })
    old.value.run(
      `INSERT INTO sweep (sweep_id, started_epoch_ms, target_label, simulated, levels, cells_planned, event_format, status)
       VALUES ('old', 1, 'x', 0, '[1]', 1, 1, 'completed')`,
    )
    old.value.run('INSERT INTO sweep_event (sweep, json) VALUES (1, ?)', JSON.stringify(started(3)))
    old.value.close()
    const store = openHere()
    expect(store.listSweeps()).toMatchObject([{ sweepId: 'old', status: 'completed' }])
    expect(store.readSweepEvents('old' as SweepId)).toEqual([started(3)])
    expect(store.listChats()).toEqual([])
  })

  test('a step that fails leaves the database wholly at its old version', () => {
    const opened = openDatabase(dir)
    if (!opened.ok) throw new Error('unopened')
    const db = opened.value
    migrate(db, ['CREATE TABLE a (x)'])
    expect(() => migrate(db, ['CREATE TABLE a (x)', 'CREATE TABLE b (x); CREATE TABLE a (x)'])).toThrow('already exists')
    expect(db.rows("SELECT name FROM sqlite_master WHERE name IN ('a', 'b')")).toEqual([['a']])
    expect(db.rows('PRAGMA user_version')).toEqual([[1]])
    db.close()
  })
})

describe('several processes, and their ends', () => {
  let program: string
  beforeAll(async () => {
    program = await bundleChild('test/children/store-writer.ts')
  })

  async function writerThatHasFlushed(atLeast: number, name: string) {
    const child = spawn(process.execPath, [program, dir, name], { stdio: ['ignore', 'pipe', 'inherit'] })
    let acked = 0
    const lines = createInterface({ input: child.stdout })
    const enough = new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        acked = Number(line)
        if (acked >= atLeast) resolve()
      })
    })
    await enough
    return {
      acked: () => acked,
      async kill() {
        child.kill('SIGKILL')
        await Promise.all([once(child, 'exit'), once(lines, 'close')])
      },
    }
  }

  test('kill -9 while it writes: all that was flushed is there, and the sweep says that it was interrupted', async () => {
    const writer = await writerThatHasFlushed(2000, 'killed')
    await writer.kill()
    const store = openHere()
    const events = store.readSweepEvents('killed' as SweepId)
    const cells = events.flatMap((event) => (event.type === 'cell-started' ? [event.cell] : []))
    expect(cells.length).toBeGreaterThanOrEqual(writer.acked())
    expect(cells).toEqual(cells.map((_, i) => i))
    expect(events.at(-1)).toMatchObject({
      type: 'sweep-ended',
      outcome: 'interrupted',
      atMs: cells.length - 1,
      problem: { code: 'sweep-interrupted' },
    })
    expect(store.listSweeps()[0]).toMatchObject({ status: 'interrupted', durationMs: cells.length - 1 })
  })

  test('a sweep that another live process runs is left alone, until that process is gone', async () => {
    const writer = await writerThatHasFlushed(37, 'alive')
    const first = openHere()
    expect(first.listSweeps()[0]?.status).toBe('running')
    first.createSweep(opening())
    await closeHere(first)
    await writer.kill()
    expect(openHere().listSweeps()).toMatchObject([
      { sweepId: id, status: 'running' },
      { sweepId: 'alive', status: 'interrupted' },
    ])
  })

  test('a sweep that ended but for its summary keeps its own outcome', async () => {
    const writer = await writerThatHasFlushed(37, 'ended')
    await writer.kill()
    const db = openDatabase(dir)
    if (!db.ok) throw new Error('unopened')
    const end: SweepEvent = { type: 'sweep-ended', atMs: 1e6, outcome: 'cancelled', problem: null }
    db.value.run('INSERT INTO sweep_event (sweep, json) VALUES (1, ?)', JSON.stringify(end))
    db.value.close()
    const store = openHere()
    expect(store.listSweeps()[0]).toMatchObject({ status: 'cancelled', durationMs: 1e6 })
    expect(store.readSweepEvents('ended' as SweepId).filter(({ type }) => type === 'sweep-ended')).toEqual([end])
  })
})
