/** Writes sweep events as fast as it can and says on standard output how many are flushed. It is there to be killed. */

import type { SweepId } from '../../src/core/result/ids.ts'
import { systemClock } from '../../src/main/platform/clock.ts'
import { silentLog } from '../../src/main/platform/log.ts'
import { openStore } from '../../src/main/services/store/store.ts'

const [dir = '', name = 'sweep'] = process.argv.slice(2)
const opened = openStore({ dir, clock: systemClock, log: silentLog })
if (!opened.ok) throw new Error(opened.error.happened)
const store = opened.value
const sweepId = name as SweepId
store.createSweep({ sweepId, startedEpochMs: 1, targetLabel: 'a server', simulated: true, levels: [1, 2], cellsPlanned: 2 })
let count = 0
function writeSome() {
  for (let i = 0; i < 37; i++) store.appendSweepEvents(sweepId, [{ type: 'cell-started', atMs: count, cell: count++ }])
  if (store.flush().ok) process.stdout.write(`${count}\n`)
  setImmediate(writeSome)
}
writeSome()
