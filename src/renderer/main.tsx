/** The page's entry: connects, makes the stores, draws the frame. */
import './no-eval.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { analyse } from '../core/analysis/analyse.ts'
import { App } from './app/app.tsx'
import { ErrorBoundary } from './app/error-boundary.tsx'
import { connectToPlimsoll } from './connection/plimsoll-connection.ts'
import { applyLastTheme } from './stores/settings-store.ts'
import { createStores, StoresProvider } from './stores/stores.tsx'
import '../../resources/tokens.css'
import './ui/fonts.css'
import './ui/base.css'

applyLastTheme()
const stores = createStores(connectToPlimsoll(), analyse)
window.addEventListener('unhandledrejection', (event) => stores.notices.bug(event.reason))

const root = document.getElementById('root')
if (root === null) throw new Error('index.html holds no #root.')
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary what="Plimsoll’s window">
      <StoresProvider stores={stores}>
        <App />
      </StoresProvider>
    </ErrorBoundary>
  </StrictMode>,
)
