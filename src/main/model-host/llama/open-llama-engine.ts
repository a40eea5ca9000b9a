/** Finds or makes the model file that the options name, opens it, and puts an engine on it. Where that can't be, says why and what else there is. */
import { resolve } from 'node:path'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Engine } from '../engine.ts'
import { ensureTinyGguf, TINY_SHAPES, type TinyModelName } from '../tiny-gguf.ts'
import { createLlamaEngine } from './llama-engine.ts'
import { openLlamaFile } from './llama-model.ts'
import type { LlamaSettings } from './llama-settings.ts'

export interface OpenLlamaOptions {
  /** A generated model's name or a GGUF file. */
  readonly model: string
  readonly cacheDir: string
  readonly slots: number
  readonly settings: LlamaSettings
  readonly clock: Clock
}

export async function openLlamaEngine({ model, cacheDir, slots, settings, clock }: OpenLlamaOptions): Promise<Result<Engine, Problem>> {
  const generated = isTinyName(model)
  let path = resolve(model)
  if (generated) {
    try {
      path = await ensureTinyGguf(cacheDir, model)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      return err(
        problem(
          'model-not-written',
          `The built-in model can't be written to ${cacheDir}: ${why}.`,
          'A folder with 30 MB of room was expected.',
          'Choose another data folder, or use --engine simulated.',
        ),
      )
    }
  }
  const file = await openLlamaFile(path, generated ? model : undefined, settings)
  return file.ok ? ok(createLlamaEngine({ file: file.value, settings, slots, clock })) : file
}

function isTinyName(model: string): model is TinyModelName {
  return Object.hasOwn(TINY_SHAPES, model)
}
