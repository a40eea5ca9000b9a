/** Tables as somebody would paste them, made for this battery: a job scheduler can't be swept yet, so it is judged from figures; and a few curves beside it. */
import { type Configuration, type Truth, truth } from '../configuration.ts'

const table = (name: string, fault: string, content: object | string, known: Truth): Configuration => ({
  kind: 'table',
  name,
  fault,
  text: typeof content === 'string' ? content : JSON.stringify(content),
  truth: known,
})

export const TABLES: readonly Configuration[] = [
  table(
    'jobs-one-per-repository',
    '16 workers are set, two jobs run: one for each of two repositories',
    {
      id: 'one-per-repository',
      server: 'job scheduler',
      load: '40 queued coding jobs in two repositories',
      settings: { workers: 16 },
      rows: [{ n: 16, configured_workers: 16, observed_running: 2, waiting: 14 }],
    },
    truth('job_scheduler', 2, 2),
  ),
  table(
    'jobs-by-limit',
    'whatever the limit, one job of the repository runs',
    'configured_workers,observed_running,queued_jobs\n1,1,12\n2,1,12\n4,1,12\n8,1,12\n',
    truth('job_scheduler'),
  ),
  table(
    'jobs-folder-locks',
    '8 jobs may run, three do: five wait for locks on folders',
    {
      server: 'job scheduler',
      load: 'coding jobs of one repository, held by path locks',
      settings: { max_concurrent_jobs: 8 },
      rows: [
        { n: 8, configured_workers: 8, observed_running: 3, blocked_reason: 'path lock held by job 12' },
        { n: 8, configured_workers: 8, observed_running: 2, blocked_reason: 'path lock held by job 15' },
      ],
    },
    truth('job_scheduler'),
  ),
  table(
    'table-two-slots',
    'near miss: a server with two slots, total rate and pace of one answer over n',
    'concurrency,total tok/s,per-request tok/s,ttft p50 ms\n1,41,41,120\n2,80,40.5,130\n4,81,40.2,2600\n8,80,40.4,7800\n',
    truth('model_server_queue', 2, 2),
  ),
]
