import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'

test('the build gives every process its file', () => {
  for (const name of ['index', 'plimsoll', 'load-driver', 'model-host', 'pty-host']) expect(existsSync(`out/main/${name}.js`), name).toBe(true)
  expect(existsSync('out/preload/index.cjs')).toBe(true)
  expect(existsSync('out/renderer/index.html')).toBe(true)
})
