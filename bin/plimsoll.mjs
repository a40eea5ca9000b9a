#!/usr/bin/env node
/** The `plimsoll` command of a checkout or an installed package: starts the built program, or says how to build it. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const program = join(dirname(fileURLToPath(import.meta.url)), '..', 'out', 'main', 'plimsoll.js')
if (!existsSync(program)) {
  process.stderr.write(
    `Plimsoll is not built yet: ${program} is missing. Run \`npm run build\` once (or \`npm run sweep\`, which builds by itself).\n`,
  )
  process.exit(1)
}
await import(pathToFileURL(program).href)
