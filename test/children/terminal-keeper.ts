/** A small Plimsoll: opens one deaf shell with a deaf child and says all pids on standard output. It is there to be killed. */
import { join } from 'node:path'
import type { TerminalId } from '../../src/core/result/ids.ts'
import { nodeForkChild } from '../../src/main/platform/child.ts'
import { systemClock } from '../../src/main/platform/clock.ts'
import { silentLog } from '../../src/main/platform/log.ts'
import { openStore } from '../../src/main/services/store/store.ts'
import { createTerminals } from '../../src/main/services/terminals/terminals.ts'

const [mainDir = '', dir = ''] = process.argv.slice(2)
const opened = openStore({ dir, clock: systemClock, log: silentLog })
if (!opened.ok) throw new Error(opened.error.happened)
const store = opened.value
const terminals = createTerminals({
  ...{ fork: nodeForkChild(mainDir), clock: systemClock, log: silentLog, records: store },
  ...{ scrollbackDir: join(dir, 'terminals'), newId: () => 'kept' as TerminalId },
})
const script = 'trap "" HUP TERM; (trap "" HUP TERM; while sleep 1; do :; done) & echo child $!; while sleep 1; do :; done'
const terminal = await terminals.open({ cols: 80, rows: 24, cwd: dir, command: 'bash', args: ['-c', script] })
if (!terminal.ok) throw new Error(terminal.error.happened)
let text = ''
terminals.output(terminal.value.terminalId, {
  next(chunk) {
    text += Buffer.from(chunk).toString()
    const child = /child (\d+)/.exec(text)?.[1]
    if (child === undefined) return undefined
    store.flush()
    // The text reaches the disk a little later.
    systemClock.after(3_000, () => process.stdout.write(`${terminals.hostPid()} ${terminal.value.pid} ${child}\n`))
    return undefined
  },
  end: () => {},
  fail: () => {},
})
