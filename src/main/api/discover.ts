/** What the first page tells of this machine: model servers, built-in engines, agent programs, keys (there or not, never their value). */
import type { Found } from '../../contract/endpoints/app.ts'
import { kindLabel } from '../../core/model-servers/server-kinds.ts'
import { type Problem, problemText } from '../../core/result/problem.ts'
import type { App } from '../compose.ts'
import { findProgram } from '../composition/find-programs.ts'
import { whyNoLlama } from '../composition/llama-there.ts'

const AGENT_PROGRAMS = ['claude', 'codex', 'opencode', 'aider', 'ollama']
const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']

function findAgents(): Found[] {
  return AGENT_PROGRAMS.map((name) => {
    const path = findProgram(name, process)
    const found = path !== undefined
    return { kind: 'agent-cli', name, found, where: path ?? 'PATH', fact: found ? 'installed' : 'not on the PATH', targets: [] }
  })
}

function findKeys(): Found[] {
  return KEYS.map((name) => {
    const found = (process.env[name] ?? '') !== ''
    return { kind: 'key', name, found, where: 'environment', fact: found ? 'set' : 'not set', targets: [] }
  })
}

function findEngines(): Found[] {
  const llama = whyNoLlama()
  return [
    {
      kind: 'engine',
      name: 'llama.cpp, built in',
      found: llama === null,
      where: 'built in',
      fact: llama ?? 'real inference on a small generated model, word salad',
      targets:
        llama === null
          ? [
              {
                label: 'Built-in llama.cpp, small model',
                // The command line's default too: a smaller one answers so fast that noise is what is measured.
                target: { kind: 'built-in', engine: 'llama', model: 'plimsoll-mid', slots: 1, settings: {} },
              },
            ]
          : [],
    },
    {
      kind: 'engine',
      name: 'simulated server, built in',
      found: true,
      where: 'built in',
      fact: 'no inference: a known truth to try the sweep on',
      targets: [
        { label: 'Simulated server, 4 slots', target: { kind: 'built-in', engine: 'simulated', model: 'simulated', slots: 4, settings: {} } },
      ],
    },
  ]
}

async function findServers({ models }: App): Promise<Found[]> {
  const servers = await models.discoverServers()
  return servers.map(({ url, version, problem, models: names }) => ({
    kind: 'model-server',
    name: 'Ollama',
    found: problem === null,
    where: url,
    fact: problem === null ? `${version === null ? 'version unknown' : `version ${version}`}, ${modelCount(names.length)}` : whyNot(problem),
    targets: names.map(({ name }) => ({ label: `${name} at ${url}`, target: { kind: 'server', url, model: name } })),
  }))
}

/** Only those that are there: nobody has all of them, and an absent one is no news. */
async function findOpenAiServers({ models }: App): Promise<Found[]> {
  const servers = await models.discoverOpenAiServers()
  return servers.map(({ url, kind, models: names }) => ({
    kind: 'model-server',
    name: kindLabel(kind) ?? 'Model server',
    found: true,
    where: url,
    fact: modelCount(names.length),
    targets: names.map((model) => ({ label: `${model} at ${url}`, target: { kind: 'server', url, model, api: 'openai' } })),
  }))
}

/** On most machines nothing listens there, and that is no fault. */
const whyNot = (p: Problem) => (p.code === 'server-unreachable' ? 'not running' : problemText(p))

const modelCount = (count: number) => (count === 0 ? 'no model that chats' : count === 1 ? '1 model' : `${count} models`)

/** Up to 2 s: the servers are asked, the rest is looked up. */
export async function discover(app: App): Promise<Found[]> {
  const [ollama, others] = await Promise.all([findServers(app), findOpenAiServers(app)])
  return [...ollama, ...others, ...findEngines(), ...findAgents(), ...findKeys()]
}
