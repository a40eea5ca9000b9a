/** The whole contract: everything that may cross from page to main. */
import { app } from './app.ts'
import { chats } from './chats.ts'
import { metrics } from './metrics.ts'
import { sweeps } from './sweeps.ts'
import { terminals } from './terminals.ts'
import { tune } from './tune.ts'

export const contract = { app, sweeps, chats, terminals, metrics, tune }
export type PlimsollContract = typeof contract
