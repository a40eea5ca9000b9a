/** Where Plimsoll keeps its things: the system's convention, unless told otherwise. Pure apart from reading the arguments given. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export function dataDir(options: { data?: string; env?: NodeJS.ProcessEnv; platform?: NodeJS.Platform } = {}): string {
  const env = options.env ?? process.env
  const chosen = options.data ?? env.PLIMSOLL_DATA
  if (chosen !== undefined && chosen !== '') return resolve(chosen)
  switch (options.platform ?? process.platform) {
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', 'Plimsoll')
    case 'win32':
      return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'Plimsoll')
    default:
      return join(env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'plimsoll')
  }
}
