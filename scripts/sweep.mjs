/** `npm run sweep -- ARGS` is `plimsoll sweep ARGS` on a checkout where nothing need be installed or built. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildWhenStale } from './build-when-stale.mjs'
import { followChild } from './follow-child.mjs'
import { installWhenMissing, root } from './install-when-missing.mjs'

installWhenMissing()
buildWhenStale()
const child = spawn(process.execPath, [join(root, 'out/main/plimsoll.js'), 'sweep', ...process.argv.slice(2)], { stdio: 'inherit' })
followChild(child)
