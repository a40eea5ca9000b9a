/** The rows of the list: which sweeps match what is sought, and how each reads. Pure. */
import type { SweepListItem } from '../../../contract/endpoints/sweeps.ts'
import { CONFIDENCES } from '../../../core/report/words.ts'

export function matchingSweeps(items: readonly SweepListItem[], sought: string): SweepListItem[] {
  const words = sought.trim().toLowerCase().split(/\s+/)
  return items.filter((item) => {
    const text = `sweep ${item.number} ${item.targetLabel} ${verdictText(item)} ${sureText(item)} ${item.simulated ? 'simulated' : ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** A verdict, or what stands in its place. A sweep that did not complete says so behind it. */
export function verdictText(item: SweepListItem): string {
  if (item.status === 'running') return `Running: ${item.cellsDone} of ${item.cellsPlanned} cells`
  const sentence = item.verdict?.sentence ?? 'No verdict'
  if (item.status === 'completed') return sentence
  const end = item.status === 'cancelled' ? 'Cancelled' : item.status === 'failed' ? 'Failed' : 'Interrupted'
  return `${sentence.replace(/\.$/, '')}. ${end} after ${item.cellsDone} of ${item.cellsPlanned} cells.`
}

export function sureText(item: SweepListItem): string {
  const { verdict } = item
  if (verdict === null) return '–'
  if (verdict.primary === 'invalid_measurement') return 'invalid'
  return CONFIDENCES.find((step) => step.code === verdict.confidence)?.label ?? verdict.confidence
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (value: number) => String(value).padStart(2, '0')

/** `30 Nov 15:21`, with the year when it is another one. */
export function dateText(epochMs: number, nowEpochMs: number): string {
  const date = new Date(epochMs)
  const year = date.getFullYear() === new Date(nowEpochMs).getFullYear() ? '' : ` ${date.getFullYear()}`
  return `${date.getDate()} ${MONTHS[date.getMonth()]}${year} ${two(date.getHours())}:${two(date.getMinutes())}`
}
