/** Plays bursts of a configuration in the simulation alone, in virtual time: what its server can do at any N, without driver, runner or machine. */
import { Simulation } from '../../src/main/model-host/simulated/simulation.ts'
import { type SimulationSettings, simulationSettingsSchema } from '../../src/main/model-host/simulated/simulation-settings.ts'

/** Output tokens a second of one burst of `n`, from its beginning to its last token. */
export function burstRate(settings: Record<string, unknown>, slots: number, n: number, outputTokens: number): number {
  const parsed: SimulationSettings = simulationSettingsSchema.parse(settings)
  let lastMs = 0
  let tokens = 0
  const rules = { slots, pendingCap: 512, maxLoadedModels: 1, warmBypass: true }
  const simulation = new Simulation(parsed, rules, 0, (event) => {
    if (event.kind === 'token') tokens += 1
    if (event.kind === 'ended') lastMs = Math.max(lastMs, event.atMs)
  })
  simulation.preload('m', parsed.contextTokens, parsed.keepAliveMs)
  const answer = typeof parsed.answerTokens === 'number' ? Math.min(parsed.answerTokens, outputTokens) : outputTokens
  const call = { model: 'm', contextTokens: parsed.contextTokens, keepAliveMs: parsed.keepAliveMs, slotless: false, promptTokens: 75, contextUse: 75 }
  for (let id = 0; id < n; id += 1) simulation.submit({ ...call, id, tokens: answer }, 0, 0)
  simulation.advanceTo(1e7)
  return (1_000 * tokens) / lastMs
}

/** Share of the best total rate from which a level counts as full (DESIGN.md section 7). */
const FULL_RATIO = 0.9

/** Smallest N up to the highest with the full total rate, or that it lies above. Bursts that do not fill whole rounds of the slots are left out. */
export function ceilingInThought(settings: Record<string, unknown>, slots: number, highestN: number, outputTokens: number): number | 'not-reached' {
  const levels = Array.from({ length: highestN }, (_, i) => i + 1).filter((n) => n <= slots || n % slots === 0)
  const rates = levels.map((n) => burstRate(settings, slots, n, outputTokens))
  const best = Math.max(...rates)
  const full = levels[rates.findIndex((rate) => rate >= FULL_RATIO * best)] ?? highestN
  // Where the total still rises with the sessions, only the very highest have it.
  return full >= FULL_RATIO * highestN ? 'not-reached' : full
}
