/** `plimsoll model-server`: the options checked, then model-host's own foreground server. */
import { problem } from '../../../core/result/problem.ts'
import { engineSchema } from '../../../core/sweep/target.ts'
import { runModelServerCommand } from '../../model-host/command.ts'
import type { CliIo } from './cli-io.ts'
import { EXIT } from './exit-codes.ts'
import { printProblems } from './print-problem.ts'
import type { ModelServerFlags } from './program.ts'

export async function modelServerCommand(flags: ModelServerFlags, io: CliIo): Promise<number> {
  const engine = engineSchema.safeParse(flags.engine ?? 'llama')
  if (!engine.success) {
    const happened = `There is no engine "${flags.engine}".`
    printProblems(io, [problem('engine-unknown', happened, 'Expected llama, simulated or null.', 'For example: --engine llama')])
    return EXIT.badInput
  }
  return runModelServerCommand({ ...flags, engine: engine.data })
}
