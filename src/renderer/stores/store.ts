/** A value outside React with listeners that hear of changes at most once a frame. Values are replaced, never changed in place. */
import { useSyncExternalStore } from 'react'
import { pageFrames } from './frame.ts'

export type ReadableStore<T> = {
  get(): T
  /** @returns stops listening */
  subscribe(listener: () => void): () => void
}

export type Store<T> = ReadableStore<T> & {
  set(next: T): void
  update(change: (value: T) => T): void
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const set = (next: T) => {
    if (Object.is(next, value)) return
    value = next
    if (listeners.size > 0) pageFrames.schedule(notify)
  }
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** Subscribes a component to a whole store. */
export function useStore<T>(store: ReadableStore<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}

/**
 * Subscribes a component to a part of a store; it redraws only when the part is another one.
 * @param select must return a primitive or something that the value already holds, never a fresh object
 */
export function useSelected<T, P>(store: ReadableStore<T>, select: (value: T) => P): P {
  return useSyncExternalStore(store.subscribe, () => select(store.get()))
}
