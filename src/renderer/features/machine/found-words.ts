/** What was found, in one sentence and in groups. Pure. */
import type { Found } from '../../../contract/endpoints/app.ts'

export const GROUPS: readonly { readonly kinds: readonly Found['kind'][]; readonly title: string; readonly note: string }[] = [
  { kinds: ['model-server', 'engine'], title: 'Model servers', note: 'asked on their usual ports of this machine, and at OLLAMA_HOST' },
  { kinds: ['agent-cli'], title: 'Agent CLIs', note: 'looked for in the PATH' },
  { kinds: ['key'], title: 'Keys', note: 'only whether they are there; nothing is read or sent' },
]

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six']
const some = (n: number, one: string, many: string) => `${NUMBERS[n] ?? String(n)} ${n === 1 ? one : many}`

const list = (parts: readonly string[]) => (parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`)
const capital = (text: string) => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`

/** "Ollama 0.11.4 with two models and two agent CLIs are here. That is enough for a sweep." */
export function foundSentence(found: readonly Found[]): string {
  const here = found.filter((one) => one.found)
  const servers = here.filter((one) => one.kind === 'model-server').map((one) => `${one.name} with ${some(one.targets.length, 'model', 'models')}`)
  const engines = here.filter((one) => one.kind === 'engine' && one.targets.length > 0).length
  const clis = here.filter((one) => one.kind === 'agent-cli').length
  const parts = [...servers, ...(clis === 0 ? [] : [some(clis, 'agent CLI', 'agent CLIs')])]
  const what =
    parts.length === 0
      ? 'No model server and no agent CLI was found'
      : `${capital(list(parts))} ${parts.length === 1 && !/CLIs$/.test(parts[0] ?? '') ? 'is' : 'are'} here`
  const measurable = here.some((one) => one.kind === 'model-server' && one.targets.length > 0)
  if (measurable) return `${what}. That is enough for a sweep.`
  if (engines > 0) return `${what}; what is built in is enough for a first sweep.`
  return `${what}. Start a model server and look again.`
}
