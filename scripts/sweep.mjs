/** `npm run sweep -- ARGS` is `plimsoll sweep ARGS` on a checkout where nothing need be installed or built. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildWhenStale } from './build-when-stale.mjs'
import { installWhenMissing, root } from './install-when-missing.mjs'

installWhenMissing()
buildWhenStale()
const child = spawn(process.execPath, [join(root, 'out/main/plimsoll.js'), 'sweep', ...process.argv.slice(2)], { stdio: 'inherit' })
// Ctrl-C reaches the child too; it writes its report and ends, and we end with it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)))
