/**
 * What the sampler sees at one moment: the host, each of our processes, the model server's process tree, the GPU, and the sampler itself.
 * One sample is one row; a batch of them is stored with the sweep.
 */
import { z } from 'zod'

export const processRoleSchema = z.enum(['main', 'load-driver', 'model-host', 'pty-host', 'model-server', 'renderer'])
export type ProcessRole = z.infer<typeof processRoleSchema>

export const processSampleSchema = z.object({
  role: processRoleSchema,
  pid: z.number(),
  /** Of one core: 100 = one core full. A model server's tree is summed into one row. */
  cpuPercent: z.number(),
  rssBytes: z.number(),
})
export type ProcessSample = z.infer<typeof processSampleSchema>

export const gpuSampleSchema = z.object({
  index: z.number(),
  utilPercent: z.number(),
  memoryUsedBytes: z.number(),
  memoryTotalBytes: z.number(),
  powerWatts: z.number().nullable(),
  temperatureCelsius: z.number().nullable(),
})

export const sampleSchema = z.object({
  /** Machine-monotonic; counts from the sweep's beginning in a stored sweep. */
  atMs: z.number(),
  host: z.object({
    /** All cores together, 0 to 100. */
    cpuPercent: z.number(),
    corePercents: z.array(z.number()),
    memoryUsedBytes: z.number(),
    memoryTotalBytes: z.number(),
    swapUsedBytes: z.number(),
    /** Pressure stall, share of the last 10 s in which some work waited; null where the system has none. */
    psiCpuSomePercent: z.number().nullable(),
    psiMemorySomePercent: z.number().nullable(),
    psiIoSomePercent: z.number().nullable(),
  }),
  processes: z.array(processSampleSchema),
  gpus: z.array(gpuSampleSchema),
  /** Of main since the last sample: delay over the timer's own period (baseline removed), and the share of time the loop was busy. */
  loop: z.object({ delayP50Ms: z.number(), delayP99Ms: z.number(), delayMaxMs: z.number(), utilizationRatio: z.number() }),
  /** The instrument's own cost: CPU of one core, and how late this sample was. */
  sampler: z.object({ cpuPercent: z.number(), driftMs: z.number() }),
  /** What the runner holds at this moment. */
  runner: z.object({ inFlight: z.number(), queued: z.number(), limit: z.number() }),
  /** What the model server itself says of requests, less what ran there before the sweep; absent on servers that don't say. */
  server: z
    .object({
      running: z.number().nullable(),
      waiting: z.number().nullable(),
      /** Of its memory for contexts, 0 to 1. */
      kvCacheRatio: z.number().nullable(),
      /** Since the sweep's beginning. */
      preemptions: z.number().nullable(),
    })
    .optional(),
})
export type Sample = z.infer<typeof sampleSchema>
