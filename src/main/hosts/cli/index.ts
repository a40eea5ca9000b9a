/** The `plimsoll` command: hands the command line to the program, and says in one line when Plimsoll itself is at fault. */
import { terminalIo } from './cli-io.ts'
import { EXIT } from './exit-codes.ts'
import { type CliDeps, runCli } from './program.ts'
import { sweepCommand } from './sweep-command.ts'

const io = terminalIo(process)

// A reader that goes away (`plimsoll list | head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
})

// Nobody has to read the progress; the sweep goes on.
process.stderr.on('error', () => {})

const deps: CliDeps = {
  io,
  // Database and servers are loaded by the commands that need them; `analyse` needs none.
  openApp: async (options) => (await import('./open-app.ts')).openCliApp(options),
  sweep: sweepCommand,
  tune: async (flags, openApp, ownIo) => (await import('./tune-command.ts')).tuneCommand(flags, openApp, ownIo),
  analyse: async (paths, flags, ownIo) => (await import('./analyse-command.ts')).analyseCommand(paths, flags, ownIo),
  // Loaded when wanted: a sweep needs no web host, and neither needs a model server in this process.
  serve: async (flags, ownIo) => (await import('./serve-command.ts')).serveCommand(flags, ownIo),
  modelServer: async (flags, ownIo) => (await import('./model-server-command.ts')).modelServerCommand(flags, ownIo),
}

function fail(cause: unknown): void {
  const verbose = process.argv.includes('--verbose')
  const message = cause instanceof Error ? cause.message : String(cause)
  io.err(`Plimsoll has a fault of its own: ${verbose && cause instanceof Error ? (cause.stack ?? message) : message}\n`)
  if (!verbose) io.err('The same command with --verbose says where. What a sweep had measured is kept: plimsoll list\n')
  process.exit(EXIT.bug)
}

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

try {
  const exitCode = await runCli(process.argv, deps)
  // Not process.exit at once: what was written to a pipe must get out first.
  process.exitCode = exitCode
  process.stdout.write('', () => process.exit(exitCode))
} catch (cause) {
  fail(cause)
}
