/**
 * Hues and patterns of the parts of a turn, the same everywhere. Every hue has a second cue. `PartPatterns` stands once in the page;
 * whatever draws a part uses `partFill`.
 */

const PATTERNED = ['queue', 'swap', 'prefill', 'neighbourPrefill', 'tools', 'background', 'admission'] as const

/** @param part any of core's parts; the runner's own wait for admission is drawn as waiting, since waiting is always the hatch */
export function partFill(part: string): string {
  return PATTERNED.some((name) => name === part) ? `url(#pt-${part})` : `var(--part-${part})`
}

const hatch = (id: string) => (
  <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="5" height="5" style={{ fill: 'var(--part-queue)' }} />
    <rect width="1.75" height="5" style={{ fill: 'var(--surface-1)', fillOpacity: 0.42 }} />
  </pattern>
)

export function PartPatterns() {
  return (
    <svg width="0" height="0" style={{ position: 'absolute' }} aria-hidden="true">
      <defs>
        {hatch('pt-queue')}
        {hatch('pt-admission')}
        <pattern id="pt-swap" width="8" height="10" patternUnits="userSpaceOnUse">
          <rect width="8" height="10" style={{ fill: 'var(--part-load)' }} />
          <path d="M0 0l4 5-4 5" style={{ fill: 'none', stroke: 'var(--surface-1)', strokeOpacity: 0.7 }} strokeWidth="1.5" />
        </pattern>
        <pattern id="pt-prefill" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect width="4" height="4" style={{ fill: 'var(--part-prefill)' }} />
          <rect width="1.25" height="4" style={{ fill: 'var(--surface-1)', fillOpacity: 0.42 }} />
        </pattern>
        <pattern id="pt-neighbourPrefill" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect width="4" height="4" style={{ fill: 'var(--surface-1)' }} />
          <rect width="1.5" height="4" style={{ fill: 'var(--part-prefill)' }} />
        </pattern>
        <pattern id="pt-tools" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect width="4" height="4" style={{ fill: 'var(--part-tools)' }} />
          <rect width="4" height="1.25" style={{ fill: 'var(--surface-1)', fillOpacity: 0.42 }} />
        </pattern>
        <pattern id="pt-background" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect width="4" height="4" style={{ fill: 'var(--part-background)' }} />
          <circle cx="2" cy="2" r="1" style={{ fill: 'var(--surface-1)', fillOpacity: 0.6 }} />
        </pattern>
      </defs>
    </svg>
  )
}
