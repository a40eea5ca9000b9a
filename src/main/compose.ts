/** Builds everything once, joins the services by functions, and ends all in order. The only place that knows every service. */
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { analyse } from '../core/analysis/analyse.ts'
import type { ProcessRef } from '../core/metric/process-ref.ts'
import { reportJson } from '../core/report/report-json.ts'
import { sweepIdSchema } from '../core/result/ids.ts'
import type { Problem } from '../core/result/problem.ts'
import { ok, type Result } from '../core/result/result.ts'
import type { Environment } from '../core/sweep/sweep-event.ts'
import type { Target } from '../core/sweep/target.ts'
import { type ChatBook, createChatBook } from './composition/chat-book.ts'
import { createChatServers } from './composition/chat-servers.ts'
import { type Closers, createClosers } from './composition/closers.ts'
import { watchEnvironment } from './composition/environment.ts'
import { createKeys, type Keys, type KeyVault } from './composition/keys.ts'
import { createSweepRecords, type SweepRecords } from './composition/sweep-records.ts'
import { createTargets } from './composition/targets.ts'
import { prepareTune } from './composition/tune-ground.ts'
import { createTuner, type Tuner } from './composition/tuner.ts'
import type { ForkChild } from './platform/child.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Log } from './platform/log.ts'
import { version } from './platform/version.ts'
import { createModels, type Models } from './services/models/models.ts'
import { createRunner, type Runner } from './services/runner/runner.ts'
import { createSampler, type Sampler } from './services/sampler/sampler.ts'
import { openStore, type Store } from './services/store/store.ts'
import { createSweepService, type SweepService } from './services/sweep/sweep.ts'
import { createTerminals, type Terminals } from './services/terminals/terminals.ts'

export interface ComposeOptions {
  dataDir: string
  host: Environment['host']
  fork: ForkChild
  log: Log
  verbose: boolean
  /** The system's keychain, where the host has one. */
  vault?: KeyVault
}

export interface App {
  readonly version: string
  readonly host: Environment['host']
  readonly dataDir: string
  readonly homeDir: string
  readonly shell: string
  readonly clock: Clock
  readonly log: Log
  readonly store: Store
  readonly runner: Runner
  /** The runner's HTTP API. The token never leaves main and its children. */
  readonly runnerApi: { readonly url: string; readonly token: string }
  readonly models: Models
  readonly keys: Keys
  readonly sampler: Sampler
  readonly terminals: Terminals
  readonly chats: ChatBook
  readonly sweeps: SweepService
  readonly sweepRecords: SweepRecords
  readonly tuner: Tuner
  close(): Promise<void>
}

/** Until the person chooses another. */
const DEFAULT_RUNNER_LIMIT = 4
const SUMMARISE_AFTER_MS = 1_500

/** The control of the null leg: answers at once; 0 slots = no limit. */
const NULL_TARGET: Target = { kind: 'built-in', engine: 'null', model: 'null', slots: 0, settings: { prefillMs: 0, tokensPerSec: 0 } }

const ptyHost = (pid: number | undefined): ProcessRef[] => (pid === undefined ? [] : [{ role: 'pty-host', pid, tree: false }])

/** What was opened is closed again when a later part can't be. */
export async function composeApp(options: ComposeOptions): Promise<Result<App, Problem>> {
  const closers = createClosers(options.log)
  let composed: Result<App, Problem> | undefined
  try {
    composed = await build(options, closers)
    return composed
  } finally {
    if (composed?.ok !== true) await closers.closeAll()
  }
}

async function build(options: ComposeOptions, closers: Closers): Promise<Result<App, Problem>> {
  const { dataDir, host, fork, log } = options
  const clock = systemClock

  const opened = openStore({ dir: dataDir, clock, log })
  if (!opened.ok) return opened
  const store = opened.value
  closers.add('store', () => store.close())
  // Whoever ends the process without closing loses nothing that was given to the store.
  const flush = () => void store.flush()
  process.once('exit', flush)
  closers.add('flush at exit', () => void process.off('exit', flush))

  const models = createModels({ fork, dir: join(dataDir, 'models'), log, env: process.env })
  closers.add('built-in model servers', () => models.close())
  const chatServers = createChatServers({
    startBuiltIn: (wanted) => models.startBuiltIn(wanted),
    answers: async (url) => (await models.residentModels(url)).ok,
  })
  closers.add('model servers of chats', () => chatServers.close())

  const keys = createKeys(process.env, options.vault ?? null)
  const runner = createRunner({
    clock,
    log,
    limit: DEFAULT_RUNNER_LIMIT,
    version,
    builtInServer: chatServers.serverFor,
    readKey: (name) => keys.read(name),
  })
  closers.add('runner', () => runner.close())
  const runnerApi = await runner.listen({ host: '127.0.0.1', port: 0 })
  if (!runnerApi.ok) return runnerApi
  const chats = createChatBook({ runner, store, clock, log })

  const terminals = createTerminals({ fork, clock, log, records: store, scrollbackDir: join(dataDir, 'terminals') })
  closers.add('terminals', () => terminals.close())

  const sweepRecords = createSweepRecords({
    store,
    reportsDir: join(dataDir, 'reports'),
    log,
    analyse,
    // A large part of main's code, and wanted only when somebody exports.
    renderHtml: async (...sweep) => (await import('./services/report/render-report-html.ts')).renderReportHtml(...sweep),
    renderJson: reportJson,
  })
  const environment = watchEnvironment(host)
  const targets = createTargets({
    readServerFacts: (...asked) => models.readServerFacts(...asked),
    residentModels: (url) => models.residentModels(url),
    answersOpenAi: (url, key) => models.answersOpenAi(url, key),
    startBuiltIn: (wanted) => models.startBuiltIn(wanted),
    readKey: (name) => keys.read(name),
    watchGauges: (server) => models.watchGauges(server),
  })
  // The sampler looks at processes of parts that are made after it.
  const processes: (() => readonly ProcessRef[])[] = [() => [{ role: 'main', pid: process.pid, tree: false }], () => ptyHost(terminals.hostPid())]
  const sampler = createSampler({
    clock,
    processes: () => processes.flatMap((read) => read()),
    runnerGauges: () => runner.gauges(),
    serverGauges: () => targets.gauges(),
  })
  closers.add('sampler', () => sampler.close())

  const sweeps = createSweepService({
    clock,
    log,
    forkDriver: () => fork('load-driver'),
    startTarget: (target) => targets.start(target),
    startNull: () => targets.start(NULL_TARGET),
    runnerApi: runnerApi.value,
    residentModels: (url) => targets.residentModels(url),
    watchSamples: (listener) => sampler.watch(listener),
    setRunnerFault: (fault) => runner.setFault(fault),
    store: {
      create: (opening) => store.createSweep({ ...opening, levels: [...opening.levels] }),
      append: (sweepId, events) => store.appendSweepEvents(sweepId, events),
      read: (sweepId) => store.readSweepEvents(sweepId),
      finish: (sweepId, state) => sweepRecords.finish(sweepId, state),
      reopen: (sweepId) => store.reopenSweep(sweepId),
    },
    get environment() {
      return environment()
    },
    newSweepId: () => sweepIdSchema.parse(randomUUID()),
  })
  processes.push(() => sweeps.processes())
  // First of all to end: it lays down what was measured.
  closers.add('sweeps', () => sweeps.close())
  const tuner = createTuner({
    log,
    sweeps,
    prepare: (request) => prepareTune({ clock, models, env: process.env, dir: join(dataDir, 'tune') }, request),
  })
  closers.add('tuning', () => tuner.close())

  if (host === 'electron' || host === 'web') {
    // After the page has come up; an analysis takes a moment of main's loop, which a sweep must not pay for.
    const cancel = clock.after(SUMMARISE_AFTER_MS, () => {
      if (sweeps.running() === null) sweepRecords.summariseInterrupted()
    })
    closers.add('summary of interrupted sweeps', cancel)
  }

  return ok({
    version,
    host,
    dataDir,
    homeDir: homedir(),
    shell: process.env.SHELL ?? '/bin/sh',
    clock,
    log,
    store,
    runner,
    runnerApi: runnerApi.value,
    models,
    keys,
    sampler,
    terminals,
    chats,
    sweeps,
    sweepRecords,
    tuner,
    close: () => closers.closeAll(),
  })
}
