/** `npm run dev`: the page with hot reload. In Electron's window where its binary is there, else through the web host in the browser. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { installWhenMissing, root } from './install-when-missing.mjs'

installWhenMissing()
const { electronBinary } = await import('./electron-binary.mjs')

const cli = join(root, 'node_modules/electron-vite/bin/electron-vite.js')
// electron-vite starts what ELECTRON_EXEC_PATH names instead of Electron: Node, with our command line as its entry; the page's address is in ELECTRON_RENDERER_URL.
const webHost = { env: { ELECTRON_EXEC_PATH: process.execPath }, args: ['--entry', join(root, 'out/main/plimsoll.js'), '--', 'serve'] }
const inWindow = electronBinary() !== null && !process.argv.includes('--web')
const { env, args } = inWindow ? { env: {}, args: [] } : webHost

const child = spawn(process.execPath, [cli, 'dev', '--watch', ...args], { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
child.on('exit', (code) => process.exit(code ?? 0))
