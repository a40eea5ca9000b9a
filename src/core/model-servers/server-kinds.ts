/**
 * The one table of model servers: how each kind is recognised, what it tells of itself and where, and what it can't tell (M11).
 * What is read follows from it; what stands under `never` has to be seen from outside, in the answers.
 */
import type { ServerFacts } from '../sweep/target.ts'

export type KindName = ServerFacts['kind']

/** What was found at the paths that tell the kinds apart; undefined = not there, or not of that shape. */
export interface Signs {
  /** Text at `/`. */
  readonly greeting?: string | undefined
  /** `/plimsoll/info` answered. */
  readonly isOurs?: boolean | undefined
  /** `/props` with slots. */
  readonly hasProps?: boolean | undefined
  /** `/api/v1/models` with loaded instances. */
  readonly hasLmStudioModels?: boolean | undefined
  /** `owned_by` of the models at `/v1/models`. */
  readonly owners?: readonly string[] | undefined
  /** Names of the series at `/metrics`. */
  readonly series?: readonly string[] | undefined
}

export interface ServerKind {
  readonly kind: KindName
  readonly label: string
  readonly recognise: (signs: Signs) => boolean
  readonly version: string | null
  /** Where the number of slots is read, the surest first. */
  readonly slots: readonly string[]
  /** Where it says how many requests run and wait; null = nowhere. */
  readonly gauges: 'metrics' | 'slots' | 'log' | null
  readonly timings: 'durations' | 'timings' | null
  readonly never: string
}

const startsWith = (prefix: string) => (name: string) => name.startsWith(prefix)

/** Asked in this order: our own server and llama-server's children speak other servers' wires too. */
export const SERVER_KINDS: readonly ServerKind[] = [
  {
    kind: 'plimsoll',
    label: 'Plimsoll',
    recognise: ({ isOurs }) => isOurs === true,
    version: '/plimsoll/info',
    slots: ['/plimsoll/info'],
    gauges: 'log',
    timings: 'durations',
    never: 'memory on the GPU',
  },
  {
    kind: 'ollama',
    label: 'Ollama',
    recognise: ({ greeting }) => greeting?.startsWith('Ollama is running') === true,
    version: '/api/version (0.0.0 = a build from source: unknown)',
    slots: [
      "the command line of the model's process (-np, --parallel)",
      '/slots of its llama-server child (0.30 and newer)',
      'OLLAMA_NUM_PARALLEL of its process',
      "the version's default",
    ],
    gauges: null,
    timings: 'durations',
    never: 'slots and queue over its API: /api/ps tells neither',
  },
  {
    kind: 'lm-studio',
    label: 'LM Studio',
    recognise: ({ hasLmStudioModels }) => hasLmStudioModels === true,
    version: null,
    slots: ['/api/v1/models, loaded_instances[].config.parallel'],
    gauges: null,
    timings: null,
    never: 'its version, its queue, the times of an answer',
  },
  {
    kind: 'vllm',
    label: 'vLLM',
    recognise: ({ owners = [], series = [] }) => owners.includes('vllm') || series.some(startsWith('vllm:')),
    version: '/version',
    slots: [],
    gauges: 'metrics',
    timings: null,
    never: 'its admission limit (max_num_seqs): the plateau of running requests shows it',
  },
  {
    kind: 'llama-server',
    label: 'llama-server',
    recognise: ({ owners = [], series = [], hasProps }) => hasProps === true || owners.includes('llamacpp') || series.some(startsWith('llamacpp:')),
    version: '/props, build_info',
    slots: ['/slots', '/props, total_slots', 'the command line of its process'],
    gauges: 'slots',
    timings: 'timings',
    never: 'waiting time of a request: it shows as what its timings do not explain',
  },
  {
    kind: 'openai',
    label: 'OpenAI-compatible server',
    recognise: ({ owners }) => owners !== undefined,
    version: null,
    slots: [],
    gauges: 'metrics',
    timings: null,
    never: 'slots, queue and times, unless it has /metrics: streams seen at once show the slots',
  },
]

export function recogniseServer(signs: Signs): KindName {
  return SERVER_KINDS.find(({ recognise }) => recognise(signs))?.kind ?? 'unknown'
}

export function kindLabel(kind: KindName): string | null {
  return SERVER_KINDS.find((row) => row.kind === kind)?.label ?? null
}
