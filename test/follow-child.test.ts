import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'

const module = fileURLToPath(new URL('../scripts/follow-child.mjs', import.meta.url))
const SCRIPT = `
import { spawn } from 'node:child_process'
import { followChild } from ${JSON.stringify(module)}
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'inherit'] })
followChild(child)
child.on('spawn', () => console.log(child.pid))`

let shell: ChildProcess | undefined
afterEach(() => {
  shell?.kill('SIGKILL')
})

test.skipIf(process.platform === 'win32')('when the shell that npm has put between is killed, the child ends too', { timeout: 30_000 }, async () => {
  const started = spawn('sh', ['-c', '"$NODE" --input-type=module -e "$SCRIPT"; true'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE: process.execPath, SCRIPT, npm_lifecycle_event: 'sweep' },
  })
  shell = started
  // The child holds the pipe's other end until it is gone.
  const closed = new Promise((resolve) => started.stdout.on('close', resolve))
  const pid = Number(await new Promise((resolve) => started.stdout.once('data', (text) => resolve(String(text)))))
  expect(() => process.kill(pid, 0)).not.toThrow()
  started.kill('SIGKILL')
  await closed
  expect(() => process.kill(pid, 0)).toThrow()
})
