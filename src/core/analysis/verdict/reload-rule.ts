/** model_server_reload: models or options are swapped in and out, so that requests wait for loads. Never the queue, whatever its share. */
import type { Verdict } from '../analysis.ts'
import { leadingGroup } from '../levels/growth.ts'
import type { CaseFile } from './case-file.ts'
import { type Finding, inconclusive, sentenceStart, serverName, supports, type VerdictRule, weigh } from './finding.ts'
import { count, percent } from './phrases.ts'
import { shareLine } from './shared-evidence.ts'

/** Share of the wall, or of its growth, from which swaps are the finding. */
const MATERIAL_RATIO = 0.1
/** Share of the turns with a swap from which no other cause in the server is named beside it. */
const MIXED_RATIO = 0.05

export const reloadRule: VerdictRule = {
  code: 'model_server_reload',
  needs: ['loads recur, or some requests wait for another model or other options', 'that takes a tenth of the wall or of its growth'],
  rivals: {
    model_server_queue: 'there the waits stand in no load duration',
    invalid_measurement: 'one load of its own is a cold start',
  },
  refutedBy: ['one model with one set of options loads as often'],
  judge: judgeReload,
}

function judgeReload(file: CaseFile): Finding | null {
  const { reload, growth } = file
  const recurs = reload.swappedCalls > 0 || reload.loads > 1
  if (!recurs) return null
  const grown = growth?.isClear === true ? growth.groups.reload.value : 0
  const isMaterial = Math.max(reload.wallShare, grown) >= MATERIAL_RATIO
  const evidence = [supports(waitLine(file))]
  if (reload.differs !== null) evidence.push(supports(`The sessions ask for ${reload.differs}.`))
  if (growth?.isClear === true) evidence.push(weigh(grown >= MATERIAL_RATIO, shareLine(file, 'reload')))
  if (!isMaterial) {
    if (reload.swappedTurnsRatio < MIXED_RATIO) return null
    return inconclusive(
      `Some requests waited for ${serverName(file)} to swap models or options, too few to name that, too many to name anything else.`,
      'Sweep one model with one set of options; then the mix.',
      evidence,
    )
  }
  const leads = growth?.isClear === true && leadingGroup(growth).group === 'reload'
  const confidence: Verdict['confidence'] = reload.differs !== null && (leads || growth === null) ? 'likely' : 'suspected'
  const what = reload.differs === null ? 'models or options' : reload.differs
  return {
    primary: 'model_server_reload',
    mechanism: reload.differs === null ? 'models swapped' : `${reload.differs} swapped`,
    confidence,
    sentence: `${sentenceStart(serverName(file))} has to load again and again: the sessions want ${what} in turn, and ${percent(reload.wallShare)} of a turn is spent on that at the level where it is worst.`,
    wouldMove: 'The same model with the same options (above all num_ctx) in all sessions, or room for both models at once.',
    wouldNotMove: 'More slots: they don’t shorten a load.',
    toSettle: null,
    evidence,
  }
}

function waitLine({ reload }: CaseFile): string {
  const swapped = reload.swappedCalls > 0 ? `${count(reload.swappedCalls, 'request')} waited for a swap` : 'The model was loaded again and again'
  return `${swapped}; there were ${count(reload.loads, 'load')} in the measured cells, ${percent(reload.wallShare)} of the wall where it is worst.`
}
