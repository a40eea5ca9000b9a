/** `plimsoll sweep --resume SWEEP` and `--extend SWEEP --level N`: a stored sweep goes on. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { CliApp } from './cli-app.ts'
import { readInteger } from './read-values.ts'
import { findSweep } from './report-command.ts'

export type ContinueFlags = { resume?: string; extend?: string; level?: string; waves?: string }

export type ContinueWish =
  | { readonly kind: 'resume'; readonly which: string }
  | { readonly kind: 'extend'; readonly which: string; readonly n: number; readonly waves: number }

const DEFAULT_WAVES = 5

/** Null = a new sweep is asked for. */
export function readContinueFlags(flags: ContinueFlags): Result<ContinueWish | null, Problem[]> {
  const { resume, extend, level } = flags
  if (resume !== undefined && extend !== undefined) return err([clash('--resume and --extend can’t be used together.')])
  if (extend === undefined && level !== undefined) return err([clash('--level belongs to --extend.')])
  if (resume !== undefined) return ok({ kind: 'resume', which: resume })
  if (extend === undefined) return ok(null)
  if (level === undefined) return err([clash('--extend needs the level that is to be measured some more.')])
  const n = readInteger('--level', level, 1, 4_096, '8')
  if (!n.ok) return err([n.error])
  const waves = flags.waves === undefined ? ok(DEFAULT_WAVES) : readInteger('--waves', flags.waves, 1, 1_000, '5')
  return waves.ok ? ok({ kind: 'extend', which: extend, n: n.value, waves: waves.value }) : err([waves.error])
}

export async function continueSweep(app: CliApp, wish: ContinueWish): ReturnType<CliApp['sweeps']['start']> {
  const found = findSweep(app.listSweeps(), wish.which)
  if (!found.ok) return found
  const { sweepId } = found.value
  return wish.kind === 'resume' ? app.sweeps.resume(sweepId) : app.sweeps.extend(sweepId, { n: wish.n, waves: wish.waves })
}

const clash = (happened: string) =>
  problem(
    'options-clash',
    happened,
    'Expected --resume <sweep>, or --extend <sweep> --level <number>.',
    'For example: --extend last --level 8 --waves 5',
  )
