import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findProgram } from './find-programs.ts'

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-path-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('the first program of that name on the PATH is found; a folder or a file that can’t be run is none', () => {
  for (const folder of ['a', 'b', 'c']) mkdirSync(join(dir, folder))
  mkdirSync(join(dir, 'a', 'claude'))
  writeFileSync(join(dir, 'b', 'claude'), '')
  chmodSync(join(dir, 'b', 'claude'), 0o644)
  writeFileSync(join(dir, 'c', 'claude'), '')
  chmodSync(join(dir, 'c', 'claude'), 0o755)
  const env = { PATH: ['', join(dir, 'a'), join(dir, 'b'), join(dir, 'c'), '/nowhere'].join(':') }
  expect(findProgram('claude', { env, platform: 'linux' })).toBe(join(dir, 'c', 'claude'))
  expect(findProgram('codex', { env, platform: 'linux' })).toBeUndefined()
  expect(findProgram('claude', { env: {}, platform: 'linux' })).toBeUndefined()
})
