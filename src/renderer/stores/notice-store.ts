/** What speaks up: passing notices above the strip (they go after 8 s) and sentences across the page (they stay until settled). */
import { type Problem, problem } from '../../core/result/problem.ts'
import { createStore, type ReadableStore } from './store.ts'

export type NoticeAction = { readonly label: string; run(): void }

export type Notice = {
  readonly id: number
  readonly title: string
  readonly text: string
  readonly action: NoticeAction | null
}

/** A failure that a person must see: it stands across the page under the bar. */
export type StandingProblem = { readonly id: number; readonly problem: Problem; readonly action: NoticeAction | null }

export type Notices = { readonly passing: readonly Notice[]; readonly standing: readonly StandingProblem[] }

export type NoticeStore = ReadableStore<Notices> & {
  say(title: string, text: string, action?: NoticeAction): void
  fail(problem: Problem, action?: NoticeAction): void
  /** For what was never expected: the cause goes to the console, the person gets a sentence. */
  bug(cause: unknown): void
  dismiss(id: number): void
  /** Settles all standing problems with this code. */
  settle(code: string): void
}

const PASSING_MS = 8_000
const MOST_PASSING = 3

export function createNoticeStore(): NoticeStore {
  const store = createStore<Notices>({ passing: [], standing: [] })
  let nextId = 1
  const without = <T extends { readonly id: number }>(list: readonly T[], id: number) => list.filter((item) => item.id !== id)
  const dismiss = (id: number) => store.update((now) => ({ passing: without(now.passing, id), standing: without(now.standing, id) }))
  const settle = (code: string) => store.update((now) => ({ ...now, standing: now.standing.filter((item) => item.problem.code !== code) }))
  const fail = (what: Problem, action: NoticeAction | null = null) => {
    const item = { id: nextId++, problem: what, action }
    store.update((now) => ({ ...now, standing: [...now.standing.filter((other) => other.problem.code !== what.code), item] }))
  }
  return {
    get: store.get,
    subscribe: store.subscribe,
    dismiss,
    settle,
    fail,
    say(title, text, action) {
      const notice = { id: nextId++, title, text, action: action ?? null }
      store.update((now) => ({ ...now, passing: [...now.passing, notice].slice(-MOST_PASSING) }))
      setTimeout(() => dismiss(notice.id), PASSING_MS)
    },
    bug(cause) {
      console.error(cause)
      const text = cause instanceof Error ? cause.message : String(cause)
      fail(problem('page-bug', `This page made a mistake: ${text}.`, 'Nothing stored is lost.', 'Reload the page; the console holds the details.'))
    },
  }
}
