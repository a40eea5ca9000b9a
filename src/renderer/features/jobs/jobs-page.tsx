/** Says honestly that coding jobs come later. */
import { PageHead } from '../../ui/panel.tsx'

export function JobsPage() {
  return (
    <>
      <PageHead title="Jobs" />
      <p className="l" style={{ margin: 'auto', maxWidth: 520 }}>
        Coding jobs come with a later version; until then agent CLIs run in terminals, and sweeps measure chat sessions.
      </p>
    </>
  )
}
