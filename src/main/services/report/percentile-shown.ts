/** A percentile in a table's cell: its value, or in two small lines why there is none. */
import type { Percentiles } from '../../../core/analysis/analysis.ts'
import { type PercentileName, percentileText, readPercentile } from '../../../core/report/format-percentile.ts'
import { html, type Markup } from './html.ts'

export function percentileShown(percentiles: Percentiles, name: PercentileName): Markup {
  const reading = readPercentile(percentiles, name)
  switch (reading.kind) {
    case 'value':
      return html`${percentileText(percentiles, name)}`
    case 'too-few':
      return html`<span class="few">n too small<br>(${reading.count} of ${reading.needed})</span>`
    case 'failed':
      return html`<b class="fail">failed</b>`
    case 'none':
      return html`<small>–</small>`
  }
}
