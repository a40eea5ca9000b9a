/** Models or options that push each other out. */
import { type Configuration, simulated, swept, truth, WORKLOAD } from '../configuration.ts'

const mix = (values: readonly number[]) => values.map((num_ctx) => ({ model: 'plimsoll-simulated', options: { num_ctx } }))
const models = (...names: string[]) => names.map((model) => ({ model, options: {} }))
const mixed = { workload: { ...WORKLOAD, variants: mix([2_048, 4_096]) }, waves: 2 }

export const RELOADS: readonly Configuration[] = [
  swept(
    'reload-by-context',
    'sessions ask for two context lengths in turn; the server loads again for each, back and forth',
    simulated(4, { loadMs: 500, warmBypass: false }, { ...mixed, levels: [1, 2, 4] }),
    truth('model_server_reload'),
  ),
  swept(
    'reload-grouped',
    'two context lengths, requests for the loaded one pass the others',
    simulated(4, { loadMs: 600 }, { ...mixed, levels: [1, 2, 4, 8] }),
    truth('model_server_reload'),
  ),
  swept(
    'model-swap',
    'two models, room for one',
    simulated(
      2,
      { loadMs: 600, models: ['plimsoll-simulated', 'plimsoll-other'] },
      { workload: { ...WORKLOAD, variants: models('plimsoll-simulated', 'plimsoll-other') }, levels: [1, 2, 4], waves: 2 },
    ),
    truth('model_server_reload'),
    { short: true },
  ),
  swept(
    'reload-refuses',
    'two models, room for one, and a loader that lets two requests wait: the others get Ollama’s 503',
    simulated(
      2,
      { loadMs: 500, pendingCap: 2, models: ['plimsoll-simulated', 'plimsoll-other'] },
      { workload: { ...WORKLOAD, variants: models('plimsoll-simulated', 'plimsoll-other') }, levels: [1, 2, 4, 8], waves: 2 },
    ),
    // 503 under load is a full queue too; which of the two is said is a matter of words.
    truth(['model_server_reload', 'model_server_queue']),
  ),
  swept(
    'models-both-fit',
    'near miss: two models, room for both, 4 slots each',
    simulated(
      4,
      { loadMs: 400, maxLoadedModels: 2, models: ['plimsoll-simulated', 'plimsoll-other'] },
      { workload: { ...WORKLOAD, variants: models('plimsoll-simulated', 'plimsoll-other') }, levels: [1, 2, 4], waves: 3 },
    ),
    truth(['none_reached', 'inconclusive']),
  ),
]
