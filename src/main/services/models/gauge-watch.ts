/**
 * Asks a server twice a second how many requests run and wait (`/metrics`, or `/slots` where there is no more), and gives the latest answer less what
 * ran there at the beginning. A server that stops telling is not waited for: then there is no answer. Its owner closes it.
 */
import { slotsSchema } from '../../../core/model-servers/documents.ts'
import { gaugesSince, readGauges, readMetricsText, type ServerGauges } from '../../../core/model-servers/metrics-text.ts'
import type { Clock } from '../../platform/clock.ts'
import { type HttpClient, type HttpOrigin, parseOrigin } from '../../platform/http-client.ts'
import { getJson, getText } from '../../platform/http-json.ts'

export interface GaugeWatch {
  /** Undefined before the first answer, and when the last one failed. */
  latest(): ServerGauges | undefined
  close(): void
}

const PERIOD_MS = 500
const DEADLINE_MS = 2_000

export function watchGauges(
  { http, clock }: { readonly http: HttpClient; readonly clock: Clock },
  server: { readonly url: string; readonly gauges: 'metrics' | 'slots'; readonly key?: string },
): GaugeWatch {
  const origin = parseOrigin(server.url)
  const read = server.gauges === 'metrics' ? readMetrics : readSlots
  let before: ServerGauges | undefined
  let latest: ServerGauges | undefined
  let closed = !origin.ok
  let cancel = () => {}

  const ask = async (at: HttpOrigin): Promise<void> => {
    const now = await read(http, at, server.key)
    if (closed) return
    before ??= now
    latest = now === undefined || before === undefined ? undefined : gaugesSince(before, now)
    cancel = clock.after(PERIOD_MS, () => void ask(at))
  }
  if (origin.ok) void ask(origin.value)

  return {
    latest: () => latest,
    close() {
      closed = true
      cancel()
    },
  }
}

const questionTo = (origin: HttpOrigin, path: string, key: string | undefined) =>
  ({ origin, method: 'GET', path, deadlineMs: DEADLINE_MS, ...(key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }) }) as const

async function readMetrics(http: HttpClient, origin: HttpOrigin, key: string | undefined): Promise<ServerGauges | undefined> {
  const text = await getText(http, questionTo(origin, '/metrics', key))
  return text.ok ? (readGauges(readMetricsText(text.value)) ?? undefined) : undefined
}

/** Slots tell who runs; those that wait are not in them. */
async function readSlots(http: HttpClient, origin: HttpOrigin, key: string | undefined): Promise<ServerGauges | undefined> {
  const answer = await getJson(http, questionTo(origin, '/slots', key))
  const slots = answer.ok ? slotsSchema.safeParse(answer.value) : undefined
  if (slots?.success !== true) return undefined
  return { running: slots.data.filter((slot) => slot.is_processing === true).length, waiting: null, kvCacheRatio: null, preemptions: null }
}
