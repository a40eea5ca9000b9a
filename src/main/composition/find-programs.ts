/** Programs on the PATH and keys in the environment: whether they are there, never what is in them. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Environs {
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
}

/** @returns its path, or undefined when no folder of the PATH holds it as a program */
export function findProgram(name: string, { env, platform }: Environs): string | undefined {
  const endings = platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';') : ['']
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue
    for (const ending of endings) {
      const path = join(folder, `${name}${ending}`)
      if (isProgram(path)) return path
    }
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
