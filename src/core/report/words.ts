/** The names of things as people read them, once for page, report and terminal. Codes stand beside their words, never instead. */
import type { CurveFit, Intervention, Part, VerdictCode } from '../analysis/analysis.ts'
import type { Leg } from '../sweep/plan.ts'

export const PART_WORDS: Readonly<Record<Part, { readonly label: string; readonly meaning: string }>> = {
  runner: { label: 'runner', meaning: 'Plimsoll’s own work before the first model request and between calls.' },
  admission: { label: 'admission', meaning: 'waiting for a place under the runner’s own limit.' },
  queue: { label: 'queue', meaning: 'waiting in the model server while every slot was seen busy with other requests.' },
  load: { label: 'load', meaning: 'the model being loaded, or a warm one being scheduled.' },
  swap: { label: 'model swap', meaning: 'waiting while another model, or the same with other options, gives way to this one.' },
  prefill: { label: 'prefill', meaning: 'the server reading the prompt.' },
  neighbourPrefill: { label: 'neighbours’ prefill', meaning: 'waiting while the server reads the prompts of others.' },
  decode: { label: 'decode', meaning: 'the answer being written, first token to last.' },
  tools: { label: 'tools', meaning: 'tools that the agent called.' },
  background: { label: 'background', meaning: 'title and memory note after the answer, less their time in the queue.' },
}

export const LEG_WORDS: Readonly<Record<Leg, string>> = {
  runner: 'through the runner',
  direct: 'straight to the model server',
  null: 'through the runner to a model that answers at once',
}

/** What gives way, as a person names it. */
export const VERDICT_WORDS: Readonly<Record<VerdictCode, string>> = {
  model_server_queue: 'model server queue',
  model_server_engine: 'model server engine',
  model_server_reload: 'model swaps',
  hardware: 'hardware',
  runner_process: 'runner process',
  job_scheduler: 'job scheduler',
  load_generator: 'load driver',
  provider_limit: 'provider’s limit',
  none_reached: 'nothing yet',
  inconclusive: 'can’t be told',
  invalid_measurement: 'invalid measurement',
}

export const INTERVENTION_WORDS: Readonly<Record<Intervention['kind'], string>> = {
  'null-leg': 'a model that answers at once',
  'direct-leg': 'without the runner',
  'prompt-length': 'other prompt length',
  slots: 'other slot count',
}

/** The curves through the total rates. */
export const FIT_WORDS: Readonly<Record<CurveFit['model'], { readonly label: string; readonly meaning: string }>> = {
  hinge: { label: 'hinge', meaning: 'grows up to a number of sessions, then is flat: a hard cap such as slots' },
  usl: { label: 'USL', meaning: 'each further session adds less, and in the end takes away: sharing and coordination' },
  linear: { label: 'linear', meaning: 'each further session adds the same: no limit in sight' },
}

export const CONFIDENCES = [
  { code: 'cannot-tell', label: 'can’t tell' },
  { code: 'suspected', label: 'suspected' },
  { code: 'likely', label: 'likely' },
  { code: 'confirmed', label: 'confirmed' },
] as const

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`
