/** Entry of the load-driver process: plays the people of a sweep and owns the client clock. Ends with its parent. */
import { parentPort } from '../platform/child.ts'
import { systemClock } from '../platform/clock.ts'
import { createAgentWorkspace } from './agent-workspace.ts'
import type { DriverCommand, DriverMessage } from './messages.ts'
import { type CellPlayer, createCellPlayer } from './play-cell.ts'
import { openConnections } from './prepared-request.ts'

function runLoadDriver(): void {
  const port = parentPort()
  if (port === undefined) {
    process.stderr.write('The load driver is started by Plimsoll, not by hand.\n')
    process.exitCode = 2
    return
  }
  const connections = openConnections()
  const workspace = createAgentWorkspace()
  process.on('exit', () => workspace.remove())
  const tell = (message: DriverMessage) => port.send(message)
  let player: CellPlayer | undefined
  port.onMessage((message) => {
    const command = message as DriverCommand
    switch (command.type) {
      case 'begin-cell':
        player = createCellPlayer(command.plan, command.cell, command.path, { clock: systemClock, connections, tell, workspace: workspace.folder })
        return
      case 'play-wave':
        return void player?.playWave(command.wave)
      case 'abort-wave':
        return player?.abort()
      case 'end-cell':
        if (player !== undefined) tell(player.report())
        return
    }
  })
  port.onClose(() => process.exit(0))
  tell({ type: 'ready' })
}

runLoadDriver()
