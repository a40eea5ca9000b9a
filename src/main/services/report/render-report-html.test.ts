import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { analyse } from '../../../core/analysis/analyse.ts'
import { unpackRawData } from '../../../core/report/raw-data.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import { renderReportHtml } from './render-report-html.ts'

const REAL = { simulated: false, kind: 'ollama' as const, version: '0.11.4', versionKnown: true, engine: null, model: 'smollm2:135m' }

const QUEUE: SyntheticSettings = {
  slots: 1,
  levels: [1, 2, 4, 8],
  repeats: 3,
  waves: 5,
  prefillMs: 110,
  tokenMs: 7.5,
  outputTokens: 24,
  background: { calls: 1, tokens: 8 },
  legs: ['runner', 'null'],
  samplesPerSec: 4,
  facts: REAL,
  seed: 7,
}

function stateOf(settings: Partial<SyntheticSettings> = {}): SweepState {
  const state = sweepStateOf(syntheticSweep({ ...QUEUE, ...settings }))
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  return state
}

const render = (state: SweepState) => renderReportHtml(state, analyse(state), { number: 7 })
const shell = (page: string) => page.replace(/<script type="application\/json"[\s\S]*?<\/script>/, '')

test('the verdict’s sentence is the one headline, and the confidence stands beside it', () => {
  const state = stateOf()
  const { verdict } = analyse(state)
  const page = render(state)
  expect(page.match(/<h1/g)).toHaveLength(1)
  expect(page.includes(verdict.primary)).toBe(true)
  expect(/aria-label="Confidence: /.test(page)).toBe(true)
  expect(page.includes('Sweep 7: smollm2:135m on Ollama 0.11.4')).toBe(true)
})

test('every part of a report is there', () => {
  const page = render(stateOf())
  const headings = [...page.matchAll(/<h2[^>]*>([^<]+)/g)].map((match) => match[1])
  expect(headings).toEqual([
    'Load line',
    'Total rate',
    'Where the time goes',
    'Hardware on the same axis',
    'One wave at N = 8, lane by lane',
    'Figures',
    'Fairness',
    'Tried by intervention',
    'Why we believe it',
    'Checked against',
    'Warnings',
    'Method',
    'What the figures mean',
    'Environment',
    'Run it again',
  ])
  for (const chart of ['ttfa by sessions in flight', 'Where the time goes, by sessions in flight', 'One wave, lane by lane'])
    expect(page.includes(`>${chart}</title>`)).toBe(true)
  expect(page.includes('npx plimsoll sweep')).toBe(true)
})

test('interventions, candidates, curves, what lies behind and how it comes about are shown, and nothing of them breaks out', () => {
  const state = stateOf()
  const evil = '<img src=x onerror=alert(1)>'
  const share = { value: 0.5, low: 0.4, high: 0.6 }
  const analysis = analyse(state)
  const page = renderReportHtml(state, {
    ...analysis,
    verdict: { ...analysis.verdict, secondary: 'hardware', mechanism: `one slot ${evil}` },
    fits: (['hinge', 'usl', 'linear'] as const).map((model, index) => ({
      ...{ model, isChosen: index === 0, leaveOneOutErrorRatio: 0.02 + index / 10, knee: index === 0 ? { value: 2, low: 1.5, high: 3 } : null },
      points: [1, 2, 4, 8].map((n) => ({ n, tokensPerSec: 30 + n * index })),
    })),
    interventions: [{ kind: 'slots', agrees: false, text: `The ceiling stayed at 4. ${evil}` }],
    candidates: [
      { code: 'model_server_queue', share },
      { code: 'hardware', share },
    ],
  })
  for (const text of ['Behind it', 'What else it could be', 'disagrees', 'The ceiling stayed at 4.', 'rejected', 'chosen', 'class="knee"'])
    expect(page).toContain(text)
  expect(page.match(/class="fit"/g)).toHaveLength(2)
  expect(page.includes('<img')).toBe(false)
})

test('cells that were left out or added stand there with the reason', () => {
  const state = stateOf()
  const cells = state.cells.map((cell, index) => (index === 3 ? { ...cell, status: 'skipped' as const, because: 'Level 2 breaks already.' } : cell))
  expect(render({ ...state, cells })).toContain('Level 2 breaks already.')
})

test('a sustained load is not called a burst', () => {
  const state = stateOf()
  const request = { ...state.plan.request, load: { kind: 'sustained' as const, spanMs: 20_000 } }
  const page = shell(render({ ...state, plan: { ...state.plan, request } }))
  expect(page).toContain('stay in flight for 20')
  expect(page).not.toContain('Bursts of N sessions')
})

test('the file asks nothing of anybody: no address outside itself, and a policy that would not let it', () => {
  const page = shell(render(stateOf())).replace(/<script>[\s\S]*?<\/script>/, '')
  const addresses = [...page.matchAll(/(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)/gi)].map((match) => match[1] ?? '')
  expect(addresses.length).toBeGreaterThan(2)
  for (const address of addresses) expect(address).toMatch(/^(data:font\/woff2|#)/)
  expect(/@import|<link|<iframe|<img/.test(page)).toBe(false)
  expect(page.includes(`default-src &#39;none&#39;`)).toBe(true)
  expect(page.includes('unsafe')).toBe(false)
})

test('the policy names the very style and script that are there', () => {
  const page = render(stateOf())
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1]?.replaceAll('&#39;', "'") ?? ''
  const hash = (text: string | undefined) =>
    `'sha256-${createHash('sha256')
      .update(text ?? '')
      .digest('base64')}'`
  expect(policy.includes(`style-src ${hash(/<style>([\s\S]*?)<\/style>/.exec(page)?.[1])}`)).toBe(true)
  expect(policy.includes(`script-src ${hash(/<script>([\s\S]*?)<\/script>/.exec(page)?.[1])}`)).toBe(true)
  expect(/ style="| on[a-z]+="/.test(shell(page))).toBe(false)
})

test('the raw data in it gives the same sweep and the same analysis back', () => {
  const state = stateOf()
  const json = /<script type="application\/json"[^>]*>([\s\S]*?)<\/script>/.exec(render(state))?.[1]
  const back = unpackRawData(JSON.parse(json ?? ''))
  expect(back?.sweep.rows).toHaveLength(state.rows.length)
  expect(back === undefined ? undefined : analyse(back.sweep).verdict).toEqual(analyse(state).verdict)
})

test('hostile names stay text, in the page and in the data', () => {
  const model = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'&\u202e`
  const base = stateOf({ levels: [1, 4], repeats: 1 })
  const { facts } = base
  if (facts === null) throw new Error('The synthetic sweep reads its server.')
  const state: SweepState = {
    ...base,
    facts: { ...facts, model, url: 'http://h/"><script>alert(2)</script>', declaredSlotsSource: '<b>x</b>' },
    warnings: [{ code: '"><i>', text: '<script>alert(3)</script>', cell: null }],
  }
  const page = render(state)
  expect(page.match(/<script/g)).toHaveLength(2)
  expect(page.match(/<\/script/g)).toHaveLength(2)
  expect(/<img|<b>x|<i>/.test(shell(page))).toBe(false)
  expect(shell(page).includes('\u202e')).toBe(false)
  const json = /<script type="application\/json"[^>]*>([\s\S]*?)<\/script>/.exec(page)?.[1]
  expect(unpackRawData(JSON.parse(json ?? ''))?.sweep.facts?.model).toBe(model)
})

test('a standard sweep stays under 2 MB', () => {
  const page = render(stateOf({ levels: [1, 2, 4, 8, 16], waves: 7, background: { calls: 2, tokens: 16 } }))
  expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
})

test('never more than 300 dots, and the number that stands for says how many there were', () => {
  const state = stateOf({ levels: [1, 2, 4, 8, 16, 32], waves: 8 })
  const page = render(state)
  expect((page.match(/class="dot(-miss)?"/g) ?? []).length).toBeLessThanOrEqual(300)
  expect(/dots single sessions \(\d+ of \d+ drawn\)/.test(page)).toBe(true)
})

test('M8: a level with too few samples shows how many of how many, and no dashed line goes there', () => {
  const page = render(stateOf({ levels: [1, 2], repeats: 1, waves: 8, closing: false }))
  expect(page.includes('n too small<br>(8 of 59)')).toBe(true)
  expect(page.includes('n too small<br>(16 of 59)')).toBe(true)
  expect(page.match(/class="mark-p95"[^>]*r="2.5"/g)).toBeNull()
})

test('a simulated server is called so in the title, the header, and every chart with its numbers', () => {
  const page = render(stateOf({ facts: {} }))
  expect(/<title>(.*)<\/title>/.exec(page)?.[1]).toContain('(simulated)')
  expect(/<header class="top">[\s\S]*<span class="tag">simulated<\/span>[\s\S]*<\/header>/.test(page)).toBe(true)
  expect(page.match(/class="simulated"/g)?.length).toBe(4)
  expect(page.includes('data-notice="simulated"')).toBe(true)
  expect(/class="simulated"|>simulated</.test(shell(render(stateOf())))).toBe(false)
})

describe('what must be known first stands above the verdict', () => {
  const first = (page: string) => [...page.slice(0, page.indexOf('<h1')).matchAll(/data-notice="([^"]+)"/g)].map((match) => match[1])

  test.each([
    ['cancelled', { endAfterCells: 5 }, ['cancelled']],
    ['interrupted', { endAfterCells: 5, outcome: 'interrupted' }, ['interrupted']],
    ['failed before anything was measured', { endAfterCells: 0, outcome: 'failed' }, ['failed', 'no-results']],
    ['all sessions failed', { faults: { failEvery: 1 } }, ['all-failed']],
    ['one level only', { levels: [8] }, ['one-level']],
    ['complete', {}, []],
  ] as const)('%s', (_, settings, notices) => {
    expect(first(render(stateOf(settings as Partial<SyntheticSettings>)))).toEqual(notices)
  })

  test('a sweep without the runner says what it says nothing of', () => {
    const page = render(stateOf({ legs: ['direct'], background: { calls: 0, tokens: 0 } }))
    expect(page.includes('data-notice="direct-only"')).toBe(true)
    expect(page.includes('straight to the model server')).toBe(true)
  })
})

test('void cells are listed with their reason and count nowhere', () => {
  const page = render(stateOf({ faults: { voidCells: [2] } }))
  expect(page.includes('Void cells')).toBe(true)
  expect(page.includes('The model was loaded again in mid-cell.')).toBe(true)
})

test('failed sessions are counted in words, and their lanes end in a cross', () => {
  const page = render(stateOf({ faults: { failEvery: 4 } }))
  expect(/class="fail">\d+ failed/.test(page)).toBe(true)
  expect(page.includes('class="failed"')).toBe(true)
})

describe('the load line', () => {
  const ring = /<circle class="ceiling"/

  test('is ringed on its level with a drop line to its N', () => {
    const page = render(stateOf({ slo: { ttfaMs: 700, targetRatio: 0.9 } }))
    expect(ring.test(page)).toBe(true)
    expect(/Load line: \d+ sessions?</.test(page)).toBe(true)
    expect(/class="ceiling drop"/.test(page)).toBe(true)
  })

  test('has no ring where it was not reached', () => {
    const page = render(stateOf({ slo: { ttfaMs: 60_000, targetRatio: 0.5 } }))
    expect(ring.test(page)).toBe(false)
    expect(page.includes('Load line: &gt; 8, not reached')).toBe(true)
  })

  test('has its ring left of the first level where none holds', () => {
    const page = render(stateOf({ slo: { ttfaMs: 5 } }))
    expect(ring.test(page)).toBe(true)
    expect(page.includes('No level holds')).toBe(true)
  })
})
