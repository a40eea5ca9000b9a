/** Who wants to hear of something. A listener may leave while it is told. */

export interface Listeners<T> {
  tell(value: T): void
  add(listener: (value: T) => void): () => void
}

export function createListeners<T>(): Listeners<T> {
  let all: readonly ((value: T) => void)[] = []
  return {
    tell(value) {
      for (const listener of all) listener(value)
    },
    add(listener) {
      const own = (value: T) => listener(value)
      all = [...all, own]
      return () => {
        all = all.filter((other) => other !== own)
      }
    },
  }
}
