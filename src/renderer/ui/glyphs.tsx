/** The few glyphs that lucide has not: drawn on its grid of 16, stroke 1.25. */
import type { ReactNode } from 'react'

function Glyph({ size = 14, children }: { size?: number; children: ReactNode }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}

export const PromptGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M2.5 4.5 6 8l-3.5 3.5M8 12h5.5" />
  </Glyph>
)

export const StairsGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M2 13.5h3v-3h3v-3h3v-3h3" />
  </Glyph>
)

export const BranchGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <circle cx="4" cy="3.5" r="1.5" />
    <circle cx="4" cy="12.5" r="1.5" />
    <circle cx="12" cy="6" r="1.5" />
    <path d="M4 5v6M12 7.5c0 2.5-3 2.5-5 2.7-1.4.1-2.4.3-3 .8" />
  </Glyph>
)

export const PaperGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M4 1.75h5.5L12.5 5v9.25H4z" />
    <path d="M9.25 2v3.25h3M6 8h4.5M6 10.75h4.5" />
  </Glyph>
)

export const SlidersGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6" />
    <circle cx="10" cy="4.5" r="1.75" />
    <circle cx="6" cy="11.5" r="1.75" />
  </Glyph>
)

export const MachineGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01" />
  </Glyph>
)

export const HalfDiscGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" stroke="none" />
  </Glyph>
)

export const CheckGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M3 8.5 6.5 12 13 4.5" />
  </Glyph>
)

export const CrossGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M4 4l8 8M12 4l-8 8" />
  </Glyph>
)

export const DashGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M4 8h8" />
  </Glyph>
)

export const OpenRingGlyph = ({ size = 14 }: { size?: number }) => (
  <Glyph size={size}>
    <circle cx="8" cy="8" r="5.25" strokeDasharray="2.2 2" />
  </Glyph>
)

export const WarningGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M8 2.5 14 13H2zM8 6.5v3M8 11.4v.01" />
  </Glyph>
)

export const LockGlyph = ({ size }: { size?: number }) => (
  <Glyph size={size}>
    <path d="M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5" />
  </Glyph>
)
