import { expect, test } from 'vitest'
import { countTurn, openRunnerCounts, runnerMetricsText } from './runner-counts.ts'
import type { TurnTimeline } from './timeline.ts'

const gauges = {
  inFlight: 3,
  queued: 1,
  limit: 4,
  sessions: 5,
  loopActiveSeconds: 1.5,
  loopIdleSeconds: 8,
  loopDelaySeconds: { p50: 0.001, p99: 0.02, max: 0.1 },
}

function timeline(rest: Partial<TurnTimeline>): TurnTimeline {
  return {
    acceptedAtMs: 1_000,
    runnerStartAtMs: 1_000,
    firstModelRequestAtMs: 1_002,
    firstActivityAtMs: 1_400,
    doneAtMs: 2_000,
    backgroundEndAtMs: 3_000,
    outcome: 'completed',
    problem: null,
    calls: [],
    tools: [],
    ...rest,
  }
}

test('histograms are cumulative and in seconds, and count what did happen only', () => {
  const counts = openRunnerCounts()
  countTurn(counts, timeline({}))
  countTurn(counts, timeline({ firstActivityAtMs: 2_500, outcome: 'failed', doneAtMs: null }))
  countTurn(counts, timeline({ firstActivityAtMs: null, outcome: 'cut', doneAtMs: null, backgroundEndAtMs: 2_000_000 }))
  const text = runnerMetricsText(counts, gauges)
  expect(text).toContain('plimsoll_turn_ttfa_seconds_bucket{le="0.25"} 0\n')
  expect(text).toContain('plimsoll_turn_ttfa_seconds_bucket{le="0.5"} 1\n')
  expect(text).toContain('plimsoll_turn_ttfa_seconds_bucket{le="+Inf"} 2\nplimsoll_turn_ttfa_seconds_sum 1.9\nplimsoll_turn_ttfa_seconds_count 2\n')
  expect(text).toContain('plimsoll_turn_wall_seconds_bucket{le="600"} 2\nplimsoll_turn_wall_seconds_bucket{le="+Inf"} 3\n')
  expect(text).toContain(
    'plimsoll_turns_total{outcome="completed"} 1\nplimsoll_turns_total{outcome="failed"} 1\nplimsoll_turns_total{outcome="cut"} 1\n',
  )
  expect(text).toContain('plimsoll_event_loop_seconds_total{state="active"} 1.5\n')
})

test('every metric has its help and its type, once', () => {
  const text = runnerMetricsText(openRunnerCounts(), gauges)
  const named = (word: string) => [...text.matchAll(new RegExp(`^# ${word} (\\w+) `, 'gm'))].map((match) => match[1])
  expect(named('HELP')).toEqual(named('TYPE'))
  expect(new Set(named('HELP')).size).toBe(named('HELP').length)
})
