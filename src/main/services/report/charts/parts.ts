/** How the parts of a turn are drawn: hue and pattern by class, the patterns once a page. Waiting is hatched, whoever makes it wait. */
import type { Part } from '../../../../core/analysis/analysis.ts'
import { PART_WORDS } from '../../../../core/report/words.ts'
import { html, type Markup } from '../html.ts'

/** Always shown, also where they are nothing; the others only where they occur. */
export const MAIN_PARTS: readonly Part[] = ['runner', 'queue', 'load', 'prefill', 'decode', 'tools', 'background']

export const PART_PATTERNS: Markup = html`<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>
<pattern id="pt-queue" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" class="f-queue"/><rect width="1.75" height="5" class="f-gap"/></pattern>
<pattern id="pt-admission" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" class="f-runner"/><rect width="1.75" height="5" class="f-gap"/></pattern>
<pattern id="pt-prefill" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" class="f-prefill"/><rect width="1.25" height="4" class="f-gap"/></pattern>
<pattern id="pt-neighbourPrefill" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="1.5" height="4" class="f-prefill"/></pattern>
<pattern id="pt-swap" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" class="f-load"/><path d="M1 0l2.5 3L1 6" class="s-gap"/></pattern>
<pattern id="pt-tools" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" class="f-tools"/><rect width="4" height="1.25" class="f-gap"/></pattern>
<pattern id="pt-background" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" class="f-background"/><circle cx="2" cy="2" r="1" class="f-dot"/></pattern>
</defs></svg>`

export function partSwatch(part: Part): Markup {
  return html`<svg class="sw" viewBox="0 0 12 8" aria-hidden="true"><rect width="12" height="8" rx="1" class="p-${part}"/></svg>`
}

export function partKey(parts: readonly Part[]): Markup {
  return html`<p class="key">${parts.map((part) => html`<span>${partSwatch(part)}${PART_WORDS[part].label}</span>`)}</p>`
}
