/** Turns what a person asks for (a shell here, that program there) into a program, a folder and an environment; or says what is missing. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { basename, delimiter, join, resolve } from 'node:path'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'

export type LaunchRequest = {
  /** Null = the person's home. */
  readonly cwd: string | null
  /** Null = the person's shell. */
  readonly command: string | null
  readonly args: readonly string[]
}

export type Launch = {
  readonly file: string
  readonly args: string[]
  readonly cwd: string
  readonly env: Record<string, string>
  /** As a person would type it. */
  readonly command: string
  readonly title: string
}

/** Ours, our runtime's and our launcher's: none of a terminal's business, and some are secrets. The data folder is no secret. */
const OURS = /^(PLIMSOLL_(?!DATA$)|ELECTRON_|CHROME_|NODE_(CHANNEL_|OPTIONS$|ENV$|V8_)|npm_|INIT_CWD$|VITE|VITEST|__)/
/** Of a terminal that Plimsoll itself runs in. */
const OUTER_TERMINAL =
  /^(TMUX|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|TERM_PROGRAM|TERM_PROGRAM_VERSION|TERM_SESSION_ID|VTE_VERSION|ZELLIJ.*|KITTY_.*)$/

/** The person's environment without our own parts, as a terminal of 16 million colours. Keys that agent CLIs need stay: they are the person's. */
export function terminalEnvironment(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || OURS.test(name) || OUTER_TERMINAL.test(name) ? [] : [[name, value] as const],
  )
  const hasLocale = [env.LC_ALL, env.LC_CTYPE, env.LANG].some((value) => value)
  const locale: Record<string, string> = hasLocale || platform === 'win32' ? {} : { LANG: platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8' }
  return { ...Object.fromEntries(kept), ...locale, TERM: 'xterm-256color', COLORTERM: 'truecolor', TERM_PROGRAM: 'Plimsoll' }
}

/** The shell that the system has on record for this person, else what the environment names, else one that is always there. */
export function personShell(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): { file: string; args: string[] } {
  if (platform === 'win32') return { file: env.COMSPEC ?? 'cmd.exe', args: [] }
  let recorded: string | null = null
  try {
    recorded = userInfo().shell
  } catch {
    // A person without an entry in the system's list: containers.
  }
  const usable = [recorded, env.SHELL].find((shell) => shell && !/\/(nologin|false)$/.test(shell))
  // On macOS every terminal starts a login shell, and PATH is set up there; on Linux the session has done that.
  return { file: usable ?? '/bin/sh', args: platform === 'darwin' ? ['-l'] : [] }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/** @returns the program's path; undefined when there is none. Looks through PATH for a bare name. */
async function findProgram(command: string, cwd: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Promise<string | undefined> {
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';')] : ['']
  const isPath = command.includes('/') || (platform === 'win32' && command.includes('\\'))
  const folders = isPath ? [cwd] : (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folder of folders) {
    for (const ending of endings) {
      const path = isPath ? resolve(folder, command + ending) : join(folder, command + ending)
      if (await isProgram(path)) return path
    }
  }
  return undefined
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

const folderMissing = (cwd: string) =>
  problem(
    'terminal-folder-missing',
    `There is no folder ${cwd}.`,
    'A terminal opens in a folder that exists.',
    'Choose another folder, or make this one.',
  )

const commandMissing = (command: string) =>
  problem(
    'terminal-command-missing',
    `The program ${command} was not found, or may not be run.`,
    command.includes('/') ? 'A file that may be run was expected there.' : 'It was looked for in the folders of PATH.',
    'Install it, or open a shell and start it from there.',
  )

export async function planLaunch(
  request: LaunchRequest,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<Result<Launch, Problem>> {
  const home = homedir()
  const cwd = request.cwd ?? ((await isFolder(home)) ? home : '/')
  if (!(await isFolder(cwd))) return err(folderMissing(cwd))
  const shell = personShell(env, platform)
  const command = request.command ?? shell.file
  const file = await findProgram(command, cwd, env, platform)
  if (file === undefined) return err(commandMissing(command))
  const args = request.command === null ? shell.args : [...request.args]
  const name = basename(command)
  return ok({ file, args, cwd, env: terminalEnvironment(env, platform), command: [name, ...args].join(' '), title: name })
}
