/** The Machine page. */
import { PageHead } from '../../ui/panel.tsx'

export function MachinePage() {
  return <PageHead title="Machine" />
}
