/** The edge for bugs in the page: a sentence instead of a blank window. Nothing stored is touched; the rest of the frame lives on. */
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { NoticeBar } from '../ui/notice-bar.tsx'

type ErrorBoundaryProps = {
  /** What failed: "This page", "Plimsoll’s window". */
  what: string
  /** Another value clears the failure: another tab was chosen. */
  resetKey?: string
  children: ReactNode
}

type Failure = { readonly cause: unknown; readonly resetKey: string | undefined }

export class ErrorBoundary extends Component<ErrorBoundaryProps, { failure: Failure | null }> {
  override state: { failure: Failure | null } = { failure: null }

  static getDerivedStateFromError(cause: unknown): { failure: Failure } {
    return { failure: { cause, resetKey: undefined } }
  }

  override componentDidCatch(cause: unknown, info: ErrorInfo): void {
    console.error(cause, info.componentStack)
    this.setState({ failure: { cause, resetKey: this.props.resetKey } })
  }

  override componentDidUpdate(): void {
    const { failure } = this.state
    if (failure?.resetKey !== undefined && failure.resetKey !== this.props.resetKey) this.setState({ failure: null })
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (failure === null) return this.props.children
    const why = failure.cause instanceof Error ? failure.cause.message : String(failure.cause)
    return (
      <NoticeBar
        fails
        happened={`${this.props.what} could not be drawn: ${why}.`}
        rest="What was measured is stored and safe; sweeps and terminals go on. Draw it again, or reload the window."
      >
        <Button small onClick={() => this.setState({ failure: null })}>
          Draw again
        </Button>
        <Button small onClick={() => window.location.reload()}>
          Reload
        </Button>
      </NoticeBar>
    )
  }
}
