/** `plimsoll sweep`: finds the target, runs the sweep, shows how far it is, and delivers what was measured, however it ended. */
import { formatDuration } from '../../../core/report/format-number.ts'
import { count } from '../../../core/report/words.ts'
import type { Problem } from '../../../core/result/problem.ts'
import { err, type Result } from '../../../core/result/result.ts'
import { createSweepFold, type SweepState } from '../../../core/sweep/fold-sweep.ts'
import type { SweepRequest } from '../../../core/sweep/plan.ts'
import { checkReportPath } from '../../services/report/report-file.ts'
import { type Candidate, chooseTargets } from './choose-targets.ts'
import type { CliApp, OpenCliApp } from './cli-app.ts'
import type { CliIo } from './cli-io.ts'
import { type ContinueFlags, continueSweep, readContinueFlags } from './continue-options.ts'
import { deliverReport } from './deliver-report.ts'
import { EXIT } from './exit-codes.ts'
import { printProblems } from './print-problem.ts'
import { createProgressLine } from './progress-line.ts'
import { readPromptFile, recordedPrompts } from './read-prompts.ts'
import { promptsWish, readSweepFlags, type SweepFlags } from './sweep-options.ts'

export type SweepCommandFlags = SweepFlags & ContinueFlags & { out?: string; json?: boolean; data?: string; verbose?: boolean }

/** @returns the exit code */
export async function sweepCommand(flags: SweepCommandFlags, openApp: OpenCliApp, io: CliIo): Promise<number> {
  const asked = readContinueFlags(flags)
  const read = readSweepFlags(flags)
  const problems = [...(asked.ok ? [] : asked.error), ...(read.ok ? [] : read.error)]
  if (!asked.ok || !read.ok) {
    printProblems(io, problems)
    return EXIT.badInput
  }
  if (flags.out !== undefined) {
    const writable = await checkReportPath(flags.out)
    if (!writable.ok) {
      printProblems(io, [writable.error])
      return EXIT.badInput
    }
  }
  const wish = promptsWish(flags)
  const fromFile = wish?.kind === 'file' ? await readPromptFile(wish.which) : null
  if (fromFile !== null && !fromFile.ok) {
    printProblems(io, [fromFile.error])
    return EXIT.badInput
  }
  const opened = await openApp({ data: flags.data, verbose: flags.verbose ?? false })
  if (!opened.ok) {
    printProblems(io, [opened.error])
    return EXIT.failed
  }
  const app = opened.value
  try {
    const stored = asked.value
    if (stored !== null) return await measure(app, () => continueSweep(app, stored), flags, io)
    const prompts = wish?.kind === 'replay' ? recordedPrompts(app.chats, wish.which) : fromFile
    if (prompts !== null && !prompts.ok) {
      printProblems(io, [prompts.error])
      return EXIT.badInput
    }
    const withTarget = (target: SweepRequest['target']): SweepRequest => {
      const request = read.value.withTarget(target)
      return prompts === null ? request : { ...request, workload: { ...request.workload, ...prompts.value } }
    }
    const candidates = await chooseTargets(read.value.wish, (url) => app.discoverServers(url))
    if (!candidates.ok) {
      printProblems(io, [candidates.error])
      return EXIT.failed
    }
    return await measure(app, () => startFirst(app, candidates.value, withTarget, io), flags, io)
  } finally {
    await app.close()
  }
}

async function measure(app: CliApp, begin: () => ReturnType<CliApp['sweeps']['start']>, flags: SweepCommandFlags, io: CliIo): Promise<number> {
  const interrupt = watchInterrupt(io)
  try {
    const started = await begin()
    if (!started.ok) {
      printProblems(io, [started.error])
      return interrupt.count() > 0 ? EXIT.interrupted : EXIT.failed
    }
    const state = await follow(app, started.value.sweepId, interrupt, io)
    const number = app.listSweeps().find((row) => row.sweepId === started.value.sweepId)?.number
    const written = await deliverReport({ state, number, dataDir: app.dataDir, out: flags.out, json: flags.json ?? false }, io)
    if (interrupt.count() > 0) return EXIT.interrupted
    return state.status === 'completed' && written ? EXIT.done : EXIT.failed
  } finally {
    interrupt.stop()
  }
}

/** Tries the candidates in turn; only the last one's problem is the command's. */
async function startFirst(
  app: CliApp,
  candidates: readonly Candidate[],
  withTarget: (target: SweepRequest['target']) => SweepRequest,
  io: CliIo,
): ReturnType<CliApp['sweeps']['start']> {
  let failed: Result<never, Problem> | undefined
  for (const { target, why } of candidates) {
    if (failed !== undefined && !failed.ok) printProblems(io, [failed.error])
    if (why !== null) io.err(`${why}\n`)
    const request = withTarget(target)
    const { cells, sessions, seconds, costUsd } = app.sweeps.estimate(request)
    const cost = costUsd === null ? '' : `, up to about $${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`
    io.err(
      `${count(cells, 'cell')}, some ${count(sessions, 'session')}, about ${formatDuration(seconds * 1000)}${cost}. Ctrl-C stops it and reports what there is.\n`,
    )
    const started = await app.sweeps.start(request)
    if (started.ok) return started
    failed = err(started.error)
  }
  if (failed === undefined) throw new Error('There was no target to try.')
  return failed
}

type Interrupt = { count(): number; onFirst(listener: () => void): void; stop(): void }

/** The first Ctrl-C ends the sweep in order, the second one ends the process. */
function watchInterrupt(io: CliIo): Interrupt {
  let times = 0
  let first: (() => void) | undefined
  const stop = io.onInterrupt(() => {
    times += 1
    if (times > 1) return io.quit(EXIT.interrupted)
    io.err('\nStopping; what was measured is kept and reported. Ctrl-C again quits at once.\n')
    first?.()
  })
  return {
    count: () => times,
    onFirst(listener) {
      first = listener
      if (times > 0) listener()
    },
    stop,
  }
}

async function follow(app: CliApp, sweepId: Parameters<CliApp['sweeps']['cancel']>[0], interrupt: Interrupt, io: CliIo): Promise<SweepState> {
  const fold = createSweepFold()
  const progress = createProgressLine(io)
  const stopLive = app.sweeps.live(sweepId, (live) => progress.live(live))
  let failed: unknown
  let stopEvents = () => {}
  await new Promise<void>((resolve) => {
    stopEvents = app.sweeps.events(
      sweepId,
      (batch) => {
        for (const event of batch) fold.apply(event)
        // A batch of turns is no step that anybody would see.
        if (batch.every(({ type }) => type === 'turn-ended' || type === 'samples')) return
        const state = fold.state()
        if (state !== undefined) progress.update(state)
      },
      resolve,
    )
    interrupt.onFirst(() => {
      app.sweeps.cancel(sweepId).catch((cause: unknown) => {
        failed = cause
        resolve()
      })
    })
  })
  stopEvents()
  stopLive()
  progress.end()
  if (failed !== undefined) throw failed
  const state = fold.state()
  if (state === undefined) throw new Error(`Sweep ${sweepId} ended without an event.`)
  return state
}
