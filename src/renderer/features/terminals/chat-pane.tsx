/** A chat session in a pane: turns with their tools and times, and the prompt. */
import { type FormEvent, type KeyboardEvent, memo, useEffect, useRef, useState } from 'react'
import type { Chat } from '../../../contract/endpoints/chats.ts'
import { formatMs } from '../../../core/report/format-number.ts'
import { problemText } from '../../../core/result/problem.ts'
import { useStore } from '../../stores/store.ts'
import { Button } from '../../ui/button.tsx'
import styles from './chat-pane.module.css'
import type { ChatStore } from './chat-store.ts'
import { type ChatTurn, canStop, type Step } from './chat-transcript.ts'
import { TurnBar } from './turn-bar.tsx'

function StepView({ step }: { step: Step }) {
  switch (step.kind) {
    case 'text':
      return <p className={styles.answer}>{step.text}</p>
    case 'thinking':
      return (
        <details className={styles.thinking}>
          <summary>thinking</summary>
          <p>{step.text}</p>
        </details>
      )
    case 'tool':
      return (
        <p className={styles.tool}>
          <b>{step.name}</b>
          <span title={step.input}>{step.summary || step.input}</span>
          <span>{step.ok === null ? 'running' : step.ok ? formatMs(step.tookMs ?? 0) : <span className="fail">failed</span>}</span>
        </p>
      )
    case 'notice':
      return <p className={styles.notice}>{step.text}</p>
  }
}

function TurnFoot({ turn }: { turn: ChatTurn }) {
  if (turn.state === 'queued' && turn.queue !== null) {
    return (
      <div className={styles.hold}>
        <p>
          <b>Queued: place {turn.queue.place}.</b>{' '}
          <span className="dim">
            {turn.queue.inFlight} of {turn.queue.limit} sessions are in flight; this turn starts when one of them ends.
          </span>
        </p>
        <div className={styles.waiting} />
      </div>
    )
  }
  if (turn.timeline === null) return turn.steps.length === 0 ? <p className={styles.pending}>waiting for the first token</p> : null
  return (
    <>
      {turn.state === 'failed' && turn.timeline.problem !== null ? (
        <p className={styles.failed}>
          <b>Failed.</b> {problemText(turn.timeline.problem)}
        </p>
      ) : null}
      {turn.state === 'stopped' ? <p className={styles.notice}>Stopped. What had come is kept.</p> : null}
      <TurnBar timeline={turn.timeline} />
    </>
  )
}

const TurnView = memo(function TurnView({ turn }: { turn: ChatTurn }) {
  return (
    <article className={styles.turn} aria-label={`Turn: ${turn.text.slice(0, 80)}`} data-state={turn.state}>
      <p className={styles.ask}>{turn.text}</p>
      {turn.steps.map((step, index) => (
        // Steps are only ever added at the end, so their place is their name.
        // biome-ignore lint/suspicious/noArrayIndexKey: see the line above
        <StepView key={index} step={step} />
      ))}
      <TurnFoot turn={turn} />
    </article>
  )
})

/** Follows the newest text as long as the reader is at the end. */
function useFollow(signal: unknown) {
  const ref = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    void signal
    const box = ref.current
    if (box !== null && atEnd.current) box.scrollTop = box.scrollHeight
  }, [signal])
  const onScroll = () => {
    const box = ref.current
    if (box !== null) atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 24
  }
  return { ref, onScroll }
}

function Prompt({ chat, running, modelLabel, focused }: { chat: ChatStore; running: boolean; modelLabel: string; focused: boolean }) {
  const [text, setText] = useState('')
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focused) box.current?.focus()
  }, [focused])
  const send = async () => {
    const typed = text.trim()
    if (typed === '') return
    setText('')
    if (!(await chat.post(typed))) setText(typed)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      void send()
    } else if (event.key === 'Escape' && running) {
      event.stopPropagation()
      void chat.stop()
    }
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void send()
  }
  return (
    <form className={styles.prompt} onSubmit={onSubmit}>
      <textarea
        ref={box}
        rows={1}
        aria-label="Message"
        placeholder={running ? 'Add to the queue, or press Esc to stop' : 'Ask, Enter sends'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="s num dim">{modelLabel}</span>
      {running ? (
        <Button small chord="escape" onClick={() => void chat.stop()}>
          Stop
        </Button>
      ) : null}
    </form>
  )
}

export function ChatPane({ chat, info, focused }: { chat: ChatStore; info: Chat; focused: boolean }) {
  const transcript = useStore(chat)
  const { ref, onScroll } = useFollow(transcript)
  return (
    <div className={styles.chat}>
      <div className={styles.turns} ref={ref} onScroll={onScroll} role="log" aria-label="Conversation">
        {transcript.turns.length === 0 ? (
          <p className={styles.empty}>A chat with {info.settings.model}. Its turns pass through the runner, so each shows where its time went.</p>
        ) : (
          transcript.turns.map((turn) => <TurnView key={turn.turnId} turn={turn} />)
        )}
      </div>
      <Prompt chat={chat} running={canStop(transcript)} modelLabel={info.settings.model} focused={focused} />
    </div>
  )
}
