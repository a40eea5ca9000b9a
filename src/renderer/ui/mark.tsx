/** The mark: a ring crossed by the load line. Takes its colour from the text around it; always beside words, so it says nothing itself. */

export function Mark({ size = 16, className }: { size?: number; className?: string | undefined }) {
  return (
    <svg className={className} width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <circle cx="8" cy="8" r="5.25" />
      <path d="M0 8h16" />
    </svg>
  )
}
