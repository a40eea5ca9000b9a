/** The place of terminals. */
import { PageHead } from '../../ui/panel.tsx'

export function TerminalsPage() {
  return (
    <>
      <PageHead title="Terminals" />
      <p className="l" style={{ margin: 'auto', maxWidth: 520 }}>
        No panes. Terminals are not joined to this page yet.
      </p>
    </>
  )
}
