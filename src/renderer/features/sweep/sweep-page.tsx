/** The Sweep page. */
import type { SweepId } from '../../../core/result/ids.ts'
import { PageHead } from '../../ui/panel.tsx'

export function SweepPage({ sweepId }: { tabId: string; sweepId: SweepId | null }) {
  return <PageHead title="Sweep" now={sweepId ?? 'no sweep yet'} />
}
