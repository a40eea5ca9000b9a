/**
 * The truth battery as data: servers, runners, drivers and tables with a fault built in, and what has to be found. `npm run truth` plays all of them
 * through the real driver and the real runner; `npm test` plays those marked `short`.
 */
import type { Configuration } from './configuration.ts'
import { DRIVERS, RUNNERS } from './configurations/clients.ts'
import { ENGINES, HARDWARE } from './configurations/engines.ts'
import { EVIDENCE_CASES } from './configurations/evidence-cases.ts'
import { INVALID, NOTHING, OPEN, PROVIDERS } from './configurations/others.ts'
import { QUEUES } from './configurations/queues.ts'
import { RELOADS } from './configurations/reloads.ts'
import { TABLES } from './configurations/tables.ts'

export const CONFIGURATIONS: readonly Configuration[] = [
  ...QUEUES,
  ...ENGINES,
  ...RELOADS,
  ...HARDWARE,
  ...RUNNERS,
  ...DRIVERS,
  ...PROVIDERS,
  ...NOTHING,
  ...INVALID,
  ...OPEN,
  ...TABLES,
  ...EVIDENCE_CASES,
]
