/** All endpoints of the contract, answered by the app's services. Built once a process; every connection shares it. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import type { App } from '../compose.ts'
import { createAppApi } from './app-api.ts'
import { createChatsApi } from './chats-api.ts'
import { createMetricsApi } from './metrics-api.ts'
import { createSweepsApi } from './sweeps-api.ts'
import { createTerminalsApi } from './terminals-api.ts'
import { createTuneApi } from './tune-api.ts'

export function createApi(app: App): Api<PlimsollContract> {
  return {
    app: createAppApi(app),
    chats: createChatsApi(app),
    metrics: createMetricsApi(app),
    sweeps: createSweepsApi(app),
    terminals: createTerminalsApi(app),
    tune: createTuneApi(app),
  }
}
