/** Everything that can be done, as data: the palette, the key sheet and the keyboard all read this. Pages add theirs while they are shown. */
import { useEffect } from 'react'
import { createStore, type ReadableStore } from './store.ts'

export type Command = {
  readonly id: string
  readonly title: string
  /** Heading in the palette and the key sheet: "Anywhere", "Sweep". */
  readonly group: string
  /** See ui/chord. Letters and digits without a modifier work only where nobody types. */
  readonly chord?: string
  /** Chords that do the same but are not shown. */
  readonly otherChords?: readonly string[]
  /** Beside the title, dim: "smollm2:135m, about 6 min". */
  readonly detail?: string
  /** Why it can't be done now; it stays in the palette with this reason. */
  readonly refused?: string | undefined
  /** Stands in the key sheet only, since something else handles the key. */
  readonly sheetOnly?: boolean
  run(): void
}

export type CommandStore = ReadableStore<readonly Command[]> & {
  /** @returns takes them away again */
  add(commands: readonly Command[]): () => void
}

export function createCommandStore(): CommandStore {
  const store = createStore<readonly Command[]>([])
  const sets = new Set<readonly Command[]>()
  const publish = () => store.set([...sets].flat())
  return {
    get: store.get,
    subscribe: store.subscribe,
    add(commands) {
      sets.add(commands)
      publish()
      return () => {
        sets.delete(commands)
        publish()
      }
    },
  }
}

/** Adds commands as long as the component is shown. Memoize the array. */
export function useCommands(store: CommandStore, commands: readonly Command[]): void {
  useEffect(() => store.add(commands), [store, commands])
}
