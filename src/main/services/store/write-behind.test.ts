import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Problem } from '../../../core/result/problem.ts'
import { ManualClock } from '../../platform/clock.ts'
import { type Db, openDatabase } from './database.ts'
import { createWriteBehind } from './write-behind.ts'

let dir: string
let db: Db
let problems: Array<Problem | null>
let logged: string[]
const clock = new ManualClock()

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-behind-'))
  const opened = openDatabase(dir)
  if (!opened.ok) throw new Error(opened.error.happened)
  db = opened.value
  db.exec('CREATE TABLE t (x TEXT NOT NULL)')
  problems = []
  logged = []
})
afterEach(() => {
  db.close()
  rmSync(dir, { recursive: true })
})

const create = () =>
  createWriteBehind({
    ...{ db, clock, onProblem: (problem) => problems.push(problem) },
    log: { info: () => {}, error: (message) => logged.push(message) },
  })
const insert = (text: string | null) => () => void db.run('INSERT INTO t VALUES (?)', text)
const stored = () => db.rows('SELECT x FROM t').flat()

test('a full disk is told once, what was given is kept in order, and is written when there is room again', () => {
  const behind = create()
  db.rows('PRAGMA max_page_count=3')
  behind.add(insert('a'.repeat(50_000)))
  behind.add(insert('b'))
  clock.advance(250)
  expect(problems).toMatchObject([{ code: 'disk-full' }])
  expect(behind.flush()).toMatchObject({ ok: false, error: { code: 'disk-full' } })
  behind.add(insert('c'))
  expect(problems).toHaveLength(1)
  db.rows('PRAGMA max_page_count=100000')
  clock.advance(1000)
  expect(stored()).toEqual(['a'.repeat(50_000), 'b', 'c'])
  expect(problems).toMatchObject([{ code: 'disk-full' }, null])
})

test('what there is no room for at the end is said to be lost', () => {
  const behind = create()
  db.rows('PRAGMA max_page_count=3')
  behind.add(insert('a'.repeat(50_000)))
  expect(behind.close().ok).toBe(false)
  expect(logged.at(-1)).toContain('not stored')
})

test('a record that the database refuses does not take its neighbours along', () => {
  const behind = create()
  for (const text of ['a', null, 'c']) behind.add(insert(text))
  expect(behind.flush().ok).toBe(true)
  expect(stored()).toEqual(['a', 'c'])
  expect(logged).toHaveLength(1)
})
