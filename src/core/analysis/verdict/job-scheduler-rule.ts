/** job_scheduler: fewer jobs run than the setting allows, and a lock says why. Sweeps play sessions and run no job, so here it never speaks; tables of jobs are judged in analysis/tables. */
import type { VerdictRule } from './finding.ts'

export const jobSchedulerRule: VerdictRule = {
  code: 'job_scheduler',
  needs: ['running jobs, counted over time, below the configured number while others wait', 'the holder of what they wait for'],
  rivals: { model_server_queue: 'there the jobs run, and their requests wait', provider_limit: 'there the jobs run, and their requests are refused' },
  refutedBy: ['as many jobs run as are configured'],
  judge: () => null,
}
