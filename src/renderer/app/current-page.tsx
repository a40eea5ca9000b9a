/** The page of the current tab, loaded when it is first shown. */
import { lazy } from 'react'
import type { Tab } from '../stores/layout-store.ts'

const SweepPage = lazy(() => import('../features/sweep/sweep-page.tsx').then((module) => ({ default: module.SweepPage })))
const MachinePage = lazy(() => import('../features/machine/machine-page.tsx').then((module) => ({ default: module.MachinePage })))
const TerminalsPlace = lazy(() => import('./terminals-place.tsx').then((module) => ({ default: module.TerminalsPlace })))
const JobsPage = lazy(() => import('../features/jobs/jobs-page.tsx').then((module) => ({ default: module.JobsPage })))
const ReportsPage = lazy(() => import('../features/reports/reports-page.tsx').then((module) => ({ default: module.ReportsPage })))
const SettingsPage = lazy(() => import('../features/settings/settings-page.tsx').then((module) => ({ default: module.SettingsPage })))

export function CurrentPage({ tab }: { tab: Tab }) {
  switch (tab.kind) {
    case 'sweep':
      return <SweepPage sweepId={tab.sweepId} />
    case 'machine':
      return <MachinePage />
    case 'terminals':
      return <TerminalsPlace />
    case 'jobs':
      return <JobsPage />
    case 'reports':
      return <ReportsPage />
    case 'settings':
      return <SettingsPage />
  }
}
