/** The commands and their options, as commander knows them. What each does stands in its own file. */

import { Command, CommanderError, Option } from 'commander'
import { FAULT_SWITCHES } from '../../../core/sweep/faults.ts'
import { version } from '../../platform/version.ts'
import type { AnalyseFlags } from './analyse-command.ts'
import type { OpenCliApp } from './cli-app.ts'
import type { CliIo } from './cli-io.ts'
import { type CompareFlags, compareCommand } from './compare-command.ts'
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts'
import { importCommand } from './import-command.ts'
import { listCommand, reportCommand, type StoredFlags } from './report-command.ts'
import type { SweepCommandFlags } from './sweep-command.ts'
import type { TuneFlags } from './tune-options.ts'

/** What the commands are made of; those that start processes are given in, so that tests need none. */
export type CliDeps = {
  readonly io: CliIo
  readonly openApp: OpenCliApp
  readonly sweep: (flags: SweepCommandFlags, openApp: OpenCliApp, io: CliIo) => Promise<number>
  readonly tune: (flags: TuneFlags, openApp: OpenCliApp, io: CliIo) => Promise<number>
  readonly analyse: (paths: readonly string[], flags: AnalyseFlags, io: CliIo) => Promise<number>
  readonly serve: (flags: ServeFlags, io: CliIo) => Promise<number>
  readonly modelServer: (flags: ModelServerFlags, io: CliIo) => Promise<number>
}

export type ServeFlags = { host?: string; port?: string; data?: string; verbose?: boolean }
export type ModelServerFlags = {
  engine?: string
  host?: string
  port?: string
  slots?: string
  model?: string
  sim?: string[]
  settings?: string
  cacheDir?: string
  log?: string
}

const EXAMPLES = `
Examples:
  plimsoll sweep                                       Ollama if one answers here, else a built-in server
  plimsoll sweep --server http://127.0.0.1:11434 --model qwen3:4b --levels 1,2,4,8,16
  plimsoll sweep --server http://127.0.0.1:8080 --api openai --model qwen3-4b
  plimsoll sweep --engine simulated --slots 4 --sim decodeMs=20
  plimsoll sweep --json > sweep.json                   one object, nothing else
  plimsoll report last --out report.html
  plimsoll compare 7 last --fail-on regression         exit code 3 when something is worse
  plimsoll analyse results.csv                         what another tool measured`

const list = (value: string, before: string[] | undefined) => [...(before ?? []), value]

/** @param argv as in process.argv @returns the exit code */
export async function runCli(argv: readonly string[], deps: CliDeps): Promise<number> {
  let exitCode: number = EXIT.done
  const program = createProgram(deps, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(argv)
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT.done : EXIT.badInput
  }
}

function createProgram(deps: CliDeps, ended: (exitCode: number) => void): Command {
  const { io } = deps
  const program = new Command('plimsoll')
    .description('How many LLM agents can this machine, this model server carry at once, and what gives way first?')
    .version(version)
    .addHelpText('after', `${EXAMPLES}\n${EXIT_CODES_HELP}`)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('Try --help: it lists the commands and options.')
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.columns,
      outputError: (text, write) => write(text.replace(/^error: /, '')),
    })
  addSweep(program, deps, ended)
  addTune(program, deps, ended)
  program
    .command('analyse <files...>')
    .description(
      'judge what others measured: tables (CSV, Markdown, JSON), result files of GuideLLM, AIPerf, vllm bench and llama-batched-bench, reports of Plimsoll; folders too, - is standard input',
    )
    .option('--json', 'print the analysis as JSON: one object, a list for several tables')
    .action(async (paths: string[], flags: AnalyseFlags) => ended(await deps.analyse(paths, flags, io)))
  common(program.command('report <sweep>').description('write the report of a stored sweep again: its number, its id, or "last"'))
    .option('--out <file>', 'where to (default: reports/ in the data folder)')
    .option('--json', 'print one JSON object instead of the table')
    .option('--csv <file>', 'write every turn as CSV, one line each, and no report')
    .option('--levels-csv <file>', 'write every level as CSV, one line each, and no report')
    .action(async (which: string, flags: StoredFlags) => ended(await reportCommand(which, flags, deps.openApp, io)))
  common(program.command('compare <before> <after>').description('two sweeps figure by figure: stored ones (number, id, "last") or report files'))
    .option('--fail-on <what>', 'regression: exit code 3 when anything is worse, for CI')
    .option('--margin <share>', 'a change within it is none (default: 10%)')
    .option('--json', 'print one JSON object instead of the table')
    .action(async (before: string, after: string, flags: CompareFlags) => ended(await compareCommand([before, after], flags, deps.openApp, io)))
  common(program.command('import <file>').description('a report file (HTML, or the raw data saved from it) becomes a stored sweep'))
    .option('--json', 'as JSON')
    .action(async (path: string, flags: StoredFlags) => ended(await importCommand(path, flags, deps.openApp, io)))
  common(program.command('list').description('the sweeps that are stored, newest first'))
    .option('--json', 'as JSON')
    .action(async (flags: SweepCommandFlags) => ended(await listCommand(flags, deps.openApp, io)))
  common(program.command('serve').description('the app in a browser: prints its address'))
    .option('--host <address>', 'where to listen (default: this machine only)')
    .option('--port <number>', 'default 7433; 0 = any free one')
    .action(async (flags: ServeFlags) => ended(await deps.serve(flags, io)))
  addModelServer(program, deps, ended)
  return program
}

function common(command: Command): Command {
  return command
    .option('--data <dir>', 'data folder (default: the system’s, or PLIMSOLL_DATA)')
    .option('--verbose', 'say more on standard error, stack traces too')
    .copyInheritedSettings(command.parent ?? command)
}

function addSweep(program: Command, deps: CliDeps, ended: (exitCode: number) => void): void {
  const target = (flags: string, description: string) => new Option(flags, description).helpGroup('What is measured:')
  const load = (flags: string, description: string) => new Option(flags, description).helpGroup('The load:')
  const limits = (flags: string, description: string) => new Option(flags, description).helpGroup('What shall hold:')
  const goOn = (flags: string, description: string) => new Option(flags, description).helpGroup('A stored sweep:')
  const result = (flags: string, description: string) => new Option(flags, description).helpGroup('The result:')
  const sweep = common(
    program.command('sweep').description('N sessions at once for N = 1, 2, 4, 8 …: what gives way first, with evidence, as table and HTML report'),
  )
    .addOption(target('--server <url>', 'a model server that runs already (default: Ollama here, else a built-in one)'))
    .addOption(target('--model <name>', 'the model to measure (default: the one that suits best)'))
    .addOption(target('--api <name>', 'the wire that the server speaks: ollama or openai (default: ollama)'))
    .addOption(target('--key-env [name]', 'variable that holds the key for --api openai (without a name: OPENAI_API_KEY)'))
    .addOption(target('--price-in <usd>', 'what a million prompt tokens cost there'))
    .addOption(target('--price-out <usd>', 'what a million output tokens cost there'))
    .addOption(target('--engine <name>', 'a built-in server: llama (real inference), simulated or null'))
    .addOption(target('--slots <number>', 'requests that the built-in server takes at once (default: 1)'))
    .addOption(target('--sim <name=value>', 'a setting of the simulated server; any number of times').argParser(list))
    .addOption(load('--mode <name>', 'quick (an answer within a minute), standard (proves it) or thorough (default: standard)'))
    .addOption(load('--levels <list>', 'these sessions at once, instead of those that the sweep finds itself: 1,2,4,8'))
    .addOption(load('--repeats <number>', 'how often each given level is measured (default: 3)'))
    .addOption(load('--waves <number>', 'bursts per level and repeat (default: enough for the percentiles, within time)'))
    .addOption(load('--legs <list>', 'runner, direct, null (default: runner,null)'))
    .addOption(load('--load <kind>', 'burst (N at once), sustained (N stay in flight) or open (so many a second) (default: burst)'))
    .addOption(load('--span <time>', 'how long a sustained or open level is kept up (default: 10s)'))
    .addOption(load('--rates <list>', 'sessions a second for --load open, at random moments: 0.5,1,2'))
    .addOption(load('--workload <name>', 'short-chat, long-context, agent (with tools), mixed, or a file of prompts (default: short-chat)'))
    .addOption(load('--replay <chat>', 'the turns of a recorded chat: its id, or "last"'))
    .addOption(load('--prompt-tokens <number>', 'length of each prompt, about'))
    .addOption(load('--output-tokens <number>', 'length of each answer at most'))
    .addOption(load('--num-ctx <number>', 'context that each request asks for'))
    .addOption(load('--option <name=value>', 'another option of the model, the same for all; any number of times').argParser(list))
    .addOption(load('--mix <model:num_ctx,…>', 'sessions take these in turn: shows swaps'))
    .addOption(load('--no-memory-note', 'no background note after the answer'))
    .addOption(load('--seed <number>', 'of prompts and order (default: 7)'))
    .addOption(limits('--slo-ttfa <time>', 'first activity within this (default: 2s)'))
    .addOption(limits('--slo-target <share>', 'for this share of the sessions (default: 95%)'))
    .addOption(limits('--max-errors <share>', 'limit of the error rate (default: 1%)'))
    .addOption(limits('--max-cost <usd>', 'the most that a sweep of a priced model may cost; none is run without it'))
    .addOption(limits('--turn-deadline <time>', 'a turn that takes longer has failed (default: 120s)'))
    .addOption(goOn('--resume <sweep>', 'a stopped sweep goes on with what was not measured: its number, its id, or "last"'))
    .addOption(goOn('--extend <sweep>', 'more waves at one level of a stored sweep, with --level and --waves (default: 5)'))
    .addOption(goOn('--level <number>', 'the level to extend'))
    .addOption(result('--out <file>', 'the HTML report (default: reports/ in the data folder)'))
    .addOption(result('--json', 'print one JSON object on standard output and nothing else there'))
    .action(async (flags: SweepCommandFlags) => ended(await deps.sweep(flags, deps.openApp, deps.io)))
  for (const { flag, help } of FAULT_SWITCHES) sweep.addOption(new Option(`${flag} <number>`, help).helpGroup('For trying it out:'))
}

function addTune(program: Command, deps: CliDeps, ended: (exitCode: number) => void): void {
  common(
    program
      .command('tune')
      .description(
        'which number of slots to set: starts private servers that differ in it alone, sweeps each, recommends one; your own server is left alone',
      ),
  )
    .option('--model <name>', 'the model to try (default: the one that suits best)')
    .option('--ollama <path>', 'the ollama program (default: the one that runs here, or on the PATH)')
    .option('--server <url>', 'your own Ollama, whose model folder and settings are taken over (default: http://127.0.0.1:11434)')
    .option('--engine <name>', 'a built-in server instead: llama or simulated')
    .option('--sim <name=value>', 'a setting of the simulated server; any number of times', list)
    .option('--slots <list>', 'numbers to try (default: 1,2,4)')
    .option('--prompt-tokens <number>', 'length of each prompt, about')
    .option('--output-tokens <number>', 'length of each answer at most')
    .option('--num-ctx <number>', 'context that each request asks for')
    .option('--option <name=value>', 'another option of the model; any number of times', list)
    .option('--slo-ttfa <time>', 'first activity within this (default: 2s)')
    .option('--seed <number>', 'of prompts and order (default: 7)')
    .option('--json', 'print one JSON object on standard output and nothing else there')
    .action(async (flags: TuneFlags) => ended(await deps.tune(flags, deps.openApp, deps.io)))
}

function addModelServer(program: Command, deps: CliDeps, ended: (exitCode: number) => void): void {
  program
    .command('model-server')
    .description('a built-in model server in the foreground: speaks Ollama’s API and OpenAI’s chat completions')
    .option('--engine <name>', 'llama (real inference), simulated or null (default: llama)')
    .option('--host <address>', 'where to listen (default: 127.0.0.1)')
    .option('--port <number>', 'default 11435; 0 = any free one')
    .option('--slots <number>', 'requests served at once')
    .option('--model <name>', 'for llama: a GGUF file or a generated model; else the name to answer to')
    .option('--sim <name=value>', 'a setting of the engine; any number of times', list)
    .option('--settings <file>', 'settings as a JSON file; --sim wins over it')
    .option('--cache-dir <dir>', 'where generated models are kept')
    .option('--log <file>', 'append one JSON line a request')
    .action(async (flags: ModelServerFlags) => ended(await deps.modelServer(flags, deps.io)))
}
