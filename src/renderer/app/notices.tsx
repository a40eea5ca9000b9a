/** What speaks up: the lost connection and standing problems under the bar, passing notices above the strip. */
import { useStore } from '../stores/store.ts'
import { useStores } from '../stores/stores.tsx'
import { Button } from '../ui/button.tsx'
import { NoticeBar } from '../ui/notice-bar.tsx'
import styles from './notices.module.css'

export function StandingNotices() {
  const { notices } = useStores()
  const { standing } = useStore(notices)
  return (
    <>
      <ConnectionBar />
      {standing.map(({ id, problem, action }) => (
        <NoticeBar key={id} fails happened={problem.happened} rest={[problem.expected, problem.todo].filter((part) => part !== '').join(' ')}>
          {action === null ? null : (
            <Button small onClick={action.run}>
              {action.label}
            </Button>
          )}
          <Button small onClick={() => notices.dismiss(id)}>
            Close
          </Button>
        </NoticeBar>
      ))}
    </>
  )
}

function ConnectionBar() {
  const { connection, connectionState } = useStores()
  const { status, problem } = useStore(connectionState)
  if (status === 'open' || (status === 'connecting' && problem === null)) return null
  if (status === 'refused')
    return (
      <NoticeBar
        fails
        happened={problem?.happened ?? 'Plimsoll does not take this page.'}
        rest={`${problem?.expected ?? ''} ${problem?.todo ?? ''}`}
      />
    )
  return (
    <NoticeBar
      fails
      happened="The connection to Plimsoll is lost."
      rest="What was measured is kept by Plimsoll, and what is shown here is as it last stood. It is being sought; or start Plimsoll again."
    >
      <Button small onClick={() => connection.retryNow()}>
        Try now
      </Button>
    </NoticeBar>
  )
}

export function PassingNotices() {
  const { notices } = useStores()
  const { passing } = useStore(notices)
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {passing.map((notice) => (
        <div key={notice.id} className={styles.toast}>
          <div>
            <p className="strong">{notice.title}</p>
            <p className="dim">{notice.text}</p>
          </div>
          <Button
            variant="quiet"
            small
            onClick={() => {
              notice.action?.run()
              notices.dismiss(notice.id)
            }}
          >
            {notice.action?.label ?? 'Close'}
          </Button>
        </div>
      ))}
    </div>
  )
}
