/** Builds everything once, joins the services by functions, and ends all in order. The only place that knows every service. */
import { homedir } from 'node:os'
import type { Problem } from '../core/result/problem.ts'
import { ok, type Result } from '../core/result/result.ts'
import type { Environment } from '../core/sweep/sweep-event.ts'
import type { ForkChild } from './platform/child.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Log } from './platform/log.ts'
import { version } from './platform/version.ts'

export interface ComposeOptions {
  dataDir: string
  host: Environment['host']
  fork: ForkChild
  log: Log
  verbose: boolean
}

export interface App {
  readonly version: string
  readonly host: Environment['host']
  readonly dataDir: string
  readonly homeDir: string
  readonly shell: string
  readonly clock: Clock
  readonly log: Log
  close(): Promise<void>
}

export async function composeApp(options: ComposeOptions): Promise<Result<App, Problem>> {
  return ok({
    version,
    host: options.host,
    dataDir: options.dataDir,
    homeDir: homedir(),
    shell: process.env.SHELL ?? '/bin/sh',
    clock: systemClock,
    log: options.log,
    async close() {},
  })
}
