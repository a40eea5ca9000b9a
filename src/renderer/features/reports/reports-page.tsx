/** The Reports page. */
import { PageHead } from '../../ui/panel.tsx'

export function ReportsPage() {
  return <PageHead title="Reports" />
}
