/** Picks and builds the engine that the options name, each with its settings checked. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
import type { Clock } from '../platform/clock.ts'
import type { Engine } from './engine.ts'
import { llamaSettingsSchema } from './llama/llama-settings.ts'
import { openLlamaEngine } from './llama/open-llama-engine.ts'
import type { ModelServerOptions } from './model-server-options.ts'
import { createNullEngine } from './null/null-engine.ts'
import { nullSettingsSchema } from './null/null-settings.ts'
import { createSimulatedEngine } from './simulated/simulated-engine.ts'
import { simulationSettingsSchema } from './simulated/simulation-settings.ts'
import type { TinyModelName } from './tiny-gguf.ts'

/** The default for `llama`: its load can be seen, and it is made in two seconds. */
const DEFAULT_MODEL: TinyModelName = 'plimsoll-mid'

export interface CreateEngineDeps {
  readonly clock: Clock
  readonly nextTurn: (callback: () => void) => void
}

export async function createEngine(options: ModelServerOptions, deps: CreateEngineDeps): Promise<Result<Engine, Problem>> {
  switch (options.engine) {
    case 'null': {
      const settings = readSettings(nullSettingsSchema, options)
      if (!settings.ok) return settings
      const slots = options.slots === undefined || options.slots === 0 ? null : options.slots
      return ok(createNullEngine({ settings: settings.value, slots, ...deps }))
    }
    case 'simulated': {
      const settings = readSettings(simulationSettingsSchema, options)
      if (!settings.ok) return settings
      if (options.slots === 0) return err(noSlots('A simulated server'))
      return ok(createSimulatedEngine({ settings: settings.value, slots: options.slots ?? 1, ...deps }))
    }
    case 'llama': {
      const settings = readSettings(llamaSettingsSchema, { ...options, model: undefined })
      if (!settings.ok) return settings
      if (options.slots === 0) return err(noSlots('A llama.cpp server'))
      return openLlamaEngine({
        model: options.model ?? DEFAULT_MODEL,
        cacheDir: modelCacheDir(options),
        slots: options.slots ?? 1,
        settings: settings.value,
        clock: deps.clock,
      })
    }
  }
}

/** The model's name on the command line stands for the list of names in the settings. */
function readSettings<T>(schema: z.ZodType<T>, options: ModelServerOptions): Result<T, Problem> {
  const named = options.model === undefined ? {} : { models: [options.model] }
  const parsed = schema.safeParse({ ...named, ...options.settings })
  if (parsed.success) return ok(parsed.data)
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'settings'}: ${issue.message}`)
  return err(
    problem(
      'model-server-settings',
      `The settings of the ${options.engine} model server can't be used: ${faults.join('; ')}.`,
      `Known settings are ${Object.keys(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }).properties ?? {}).join(', ')}.`,
      'Correct them and start again.',
    ),
  )
}

function noSlots(what: string): Problem {
  return problem('model-server-slots', `${what} needs at least one slot.`, '', 'Leave --slots out for 1, or use --engine null, which has no limit.')
}

function modelCacheDir(options: ModelServerOptions): string {
  return options.cacheDir ?? join(tmpdir(), 'plimsoll-models')
}
