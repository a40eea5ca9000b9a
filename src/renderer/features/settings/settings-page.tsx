/** The Settings page. */
import { PageHead } from '../../ui/panel.tsx'

export function SettingsPage() {
  return <PageHead title="Settings" />
}
