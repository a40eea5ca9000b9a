/** model_server_engine and hardware: all requests are carried at once, and each gets slower. Which of the two, CPU and GPU of the machine say. */
import type { Evidence, Verdict } from '../analysis.ts'
import { leadingGroup } from '../levels/growth.ts'
import type { CaseFile, MeasuredFacts } from './case-file.ts'
import { type Finding, inconclusive, leavesOpen, type Rule, serverName, supports, weigh } from './finding.ts'
import { count, rate, shareOf } from './phrases.ts'
import { directLegEvidence, failureEvidence, nullLegEvidence, paceLine, shareLine, twoCauses } from './shared-evidence.ts'

/** CPU or GPU in use from which it counts as full, together with a total rate that no longer rises. */
const FULL_PERCENT = 85
/** One answer must have lost this much of its pace, or the prompt must take this much longer, to speak of an engine that gives way. */
const SLOWER_RATIO = 0.75

export const engineRule: Rule = (file) => {
  const { growth, top, base } = file
  if (growth === null || top === null || base === null || !growth.isClear) return null
  const lead = leadingGroup(growth)
  if (lead.group !== 'engine') return null
  const slower = slowdown(base, top)
  const carried = top.facts.overlap.streaming.lasting >= top.facts.overlap.asked.lasting
  const evidence: Evidence[] = [
    weigh(lead.isClear, shareLine(file, 'engine')),
    weigh(slower.isSlower, slower.text),
    weigh(carried ? true : null, overlapLine(top)),
    ...totalRateEvidence(base, top),
  ]
  const machine = file.isSimulated ? null : hardwareEvidence(file, top)
  if (machine !== null) evidence.push(machine)
  evidence.push(...[directLegEvidence(file, 'engine'), nullLegEvidence(file), failureEvidence(file)].filter((line) => line !== null))
  if (!lead.isClear || !slower.isSlower || file.reload.swappedTurnsRatio > 0.05) {
    return inconclusive(
      lead.isClear
        ? `The added time is spent mostly in ${serverName(file)}'s prefill and decode, but the evidence does not carry that verdict.`
        : twoCauses(file),
      'Add repeats, and a larger level; shorter prompts in a second sweep would tell prefill from decode.',
      evidence,
    )
  }
  const isHardware = machine?.stance === 'for'
  const against = evidence.filter((line) => line.stance === 'against').length
  const confidence: Verdict['confidence'] = against > 0 || (!carried && !isHardware) ? 'suspected' : 'likely'
  return {
    primary: isHardware ? 'hardware' : 'model_server_engine',
    confidence,
    sentence: sentenceOf(file, isHardware),
    ...moves(file, isHardware),
    toSettle: null,
    evidence,
  }
}

function slowdown(base: MeasuredFacts, top: MeasuredFacts): { isSlower: boolean; text: string } {
  const [before, after] = [base.summary.decodeTokensPerSec, top.summary.decodeTokensPerSec]
  const prefill = (level: MeasuredFacts) => level.summary.partsMs.prefill + level.summary.partsMs.neighbourPrefill
  const isPrefill = prefill(top) > prefill(base) / SLOWER_RATIO && prefill(top) - prefill(base) > 0.25 * addedMs(base, top)
  const isDecode = before !== null && after !== null && after < SLOWER_RATIO * before
  const prefillText = `Prompts took ${prefill(base).toFixed(0)} ms at ${base.summary.n} and ${prefill(top).toFixed(0)} ms at ${top.summary.n} sessions, neighbours' included.`
  return { isSlower: isDecode || isPrefill, text: isDecode || !isPrefill ? paceLine(base, top) : prefillText }
}

const addedMs = (base: MeasuredFacts, top: MeasuredFacts) =>
  Object.values(top.summary.partsMs).reduce((sum, ms) => sum + ms, 0) - Object.values(base.summary.partsMs).reduce((sum, ms) => sum + ms, 0)

function overlapLine(top: MeasuredFacts): string {
  const { streaming, asked } = top.facts.overlap
  return `At ${top.summary.n} sessions ${count(streaming.lasting, 'answer')} streamed at once while the server held ${count(asked.lasting, 'request')}.`
}

function totalRateEvidence(base: MeasuredFacts, top: MeasuredFacts): Evidence[] {
  const [before, after] = [base.summary.tokensPerSec, top.summary.tokensPerSec]
  if (before === null || after === null || before <= 0) return []
  const text = `The total went from ${rate(before)} to ${rate(after)} tokens/s, from ${base.summary.n} to ${top.summary.n} sessions.`
  return [after / before < (0.7 * top.summary.n) / base.summary.n ? supports(text) : leavesOpen(text)]
}

/** GPU use alone is never a sign of a ceiling (B2): it counts only because the pace fell, which the rule asks for as well. */
function hardwareEvidence(file: CaseFile, top: MeasuredFacts): Evidence | null {
  const { hostCpuPercentMean, gpuUtilPercentMean, serverCpuPercentMean } = top.hardware
  const { facts, environment } = file.state
  const spilled =
    facts !== null &&
    facts.vramBytes !== null &&
    facts.vramBytes > 0 &&
    facts.modelSizeBytes !== null &&
    facts.vramBytes < 0.95 * facts.modelSizeBytes
  if (spilled) return supports('Part of the model lies outside the GPU memory.')
  if (gpuUtilPercentMean !== null && gpuUtilPercentMean >= FULL_PERCENT) {
    return supports(`The GPU was in use ${gpuUtilPercentMean.toFixed(0)} % of the time at ${top.summary.n} sessions, while each answer slowed down.`)
  }
  if (hostCpuPercentMean === null)
    return leavesOpen('There are no samples of the machine under this load, so it can’t be told whether the hardware is full.')
  const server =
    serverCpuPercentMean === null ? '' : `, the model server took ${(serverCpuPercentMean / 100).toFixed(1)} of ${environment.cores} cores`
  const text = `All cores together were ${hostCpuPercentMean.toFixed(0)} % busy at ${top.summary.n} sessions${server}.`
  return hostCpuPercentMean >= FULL_PERCENT ? supports(text) : leavesOpen(text)
}

function sentenceOf(file: CaseFile, isHardware: boolean): string {
  const { growth, base, top } = file
  const share = shareOf(growth?.groups.engine.value ?? 0)
  const range = `from ${growth?.fromN} to ${growth?.toN} sessions`
  const [before, after] = [base?.summary.decodeTokensPerSec ?? null, top?.summary.decodeTokensPerSec ?? null]
  const isDecode = before !== null && after !== null && after < SLOWER_RATIO * before
  const pace = isDecode ? `one answer goes from ${rate(before)} to ${rate(after)} tokens/s` : 'each prompt takes longer the more there are'
  const subject = isHardware ? `the hardware under ${serverName(file)} gives way first` : `${serverName(file)}'s engine gives way first`
  return `Beyond ${count(growth?.fromN ?? 1, 'session')} ${subject}: it works on the requests together, but ${pace}, and ${share} of the time added ${range} is prefill and decode.`
}

function moves(file: CaseFile, isHardware: boolean): Pick<Finding, 'wouldMove' | 'wouldNotMove'> {
  const runner = shareOf(file.growth?.groups.runner.value ?? 0)
  return {
    wouldMove: isHardware
      ? 'A faster or second machine, a smaller or more strongly quantised model, shorter prompts and answers.'
      : 'More compute threads or a faster engine where the machine has cores to spare, a smaller model, shorter prompts and answers.',
    wouldNotMove: `More slots: the requests are answered together already. A higher limit in the runner: ${runner} of the added time is the runner's.`,
  }
}
