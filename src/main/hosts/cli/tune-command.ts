/** `plimsoll tune`: tries numbers of slots on private servers, shows how far it is, and prints the recommendation. */
import { formatBytes, formatMs, formatRate, formatRatio } from '../../../core/report/format-number.ts'
import { printable } from '../../../core/report/printable.ts'
import type { TuneState, TuneTrial } from '../../../core/sweep/tune.ts'
import type { OpenCliApp } from './cli-app.ts'
import type { CliIo } from './cli-io.ts'
import { EXIT } from './exit-codes.ts'
import { printProblems } from './print-problem.ts'
import { readTuneFlags, type TuneFlags } from './tune-options.ts'

/** @returns the exit code */
export async function tuneCommand(flags: TuneFlags, openApp: OpenCliApp, io: CliIo): Promise<number> {
  const request = readTuneFlags(flags)
  if (!request.ok) {
    printProblems(io, request.error)
    return EXIT.badInput
  }
  const opened = await openApp({ data: flags.data, verbose: flags.verbose ?? false })
  if (!opened.ok) {
    printProblems(io, [opened.error])
    return EXIT.failed
  }
  const { tuner, close } = opened.value
  let interrupts = 0
  const stopListening = io.onInterrupt(() => {
    interrupts += 1
    if (interrupts > 1) return io.quit(EXIT.interrupted)
    io.err('\nStopping: the private server is ended first. Ctrl-C again quits at once.\n')
    void tuner.cancel()
  })
  try {
    const ended = watch(tuner, io)
    const started = await tuner.start(request.value)
    if (!started.ok) {
      printProblems(io, [started.error])
      return EXIT.failed
    }
    const state = await ended
    deliver(state, flags.json ?? false, io)
    if (interrupts > 0) return EXIT.interrupted
    return state.status === 'done' ? EXIT.done : EXIT.failed
  } finally {
    stopListening()
    await close()
  }
}

type Watched = { onChange(listener: (state: TuneState) => void): () => void }

/** Says each step once, and resolves with the state in which it ended. */
function watch(tuner: Watched, io: CliIo): Promise<TuneState> {
  const told = new Set<string>()
  return new Promise((resolve) => {
    const stop = tuner.onChange((state) => {
      for (const trial of state.trials) {
        const line = stepLine(state, trial)
        if (line === null || told.has(line)) continue
        told.add(line)
        io.err(`${printable(line)}\n`)
      }
      if (state.status === 'running' || state.status === 'idle') return
      stop()
      resolve(state)
    })
  })
}

function stepLine(state: TuneState, trial: TuneTrial): string | null {
  const what = `${state.setting}=${trial.slots}`
  switch (trial.status) {
    case 'waiting':
      return null
    case 'starting':
      return `${what}: starting ${state.label}`
    case 'running':
      return `${what}: sweeping`
    case 'failed':
      return `${what}: failed. ${trial.problem?.happened ?? ''}`
    case 'done':
      return trial.figures === null ? null : `${what}: ${formatRate(trial.figures.tokensPerSec.value)} tokens/s at ${trial.figures.n} sessions`
  }
}

function deliver(state: TuneState, json: boolean, io: CliIo): void {
  if (json) {
    io.out(`${JSON.stringify(state, null, 2)}\n`)
    return
  }
  const failed = state.trials.flatMap(({ problem }) => problem ?? [])
  if (failed.length > 0) printProblems(io, failed)
  const rows = state.trials.flatMap(({ slots, figures }) => (figures === null ? [] : [row(slots, figures)]))
  if (rows.length > 0) io.out(`${tableText([HEAD, ...rows])}\n\n`)
  if (state.advice !== null) io.out(`${printable([state.advice.sentence, ...state.advice.notes].join('\n'))}\n`)
}

const HEAD = ['slots', 'N', 'tokens/s', 'one answer', 'first activity', 'held', 'memory', 'contexts']

function row(slots: number, figures: NonNullable<TuneTrial['figures']>): string[] {
  const { n, tokensPerSec, decodeTokensPerSec, ttfaMs, heldRatio, memoryBytes, contextBytes } = figures
  const or = <T>(value: T | null, format: (value: T) => string) => (value === null ? '–' : format(value))
  return [
    String(slots),
    String(n),
    formatRate(tokensPerSec.value),
    or(decodeTokensPerSec, formatRate),
    or(ttfaMs, ({ value }) => formatMs(value)),
    or(heldRatio, formatRatio),
    or(memoryBytes, formatBytes),
    or(contextBytes, formatBytes),
  ]
}

function tableText(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? '').length)))
  return rows.map((cells) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')).join('\n')
}
