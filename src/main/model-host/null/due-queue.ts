/** Things ordered by the moment they are due: a binary heap, so that 256 streams at 100 tokens/s cost some hundred nanoseconds a token. */

export interface Due {
  dueMs: number
}

export class DueQueue<T extends Due> {
  readonly #heap: T[] = []

  get size(): number {
    return this.#heap.length
  }

  peek(): T | undefined {
    return this.#heap[0]
  }

  add(item: T): void {
    this.#heap.push(item)
    this.#rise(this.#heap.length - 1)
  }

  /** Takes out the earliest. */
  take(): T | undefined {
    const first = this.#heap[0]
    const last = this.#heap.pop()
    if (first === undefined || last === undefined || first === last) return first
    this.#heap[0] = last
    this.#sink(0)
    return first
  }

  /** The earliest got a later moment. */
  firstMoved(): void {
    this.#sink(0)
  }

  /** O(n): for the rare case of a stream that ends early. */
  remove(item: T): void {
    const at = this.#heap.indexOf(item)
    if (at === -1) return
    const last = this.#heap.pop()
    if (last === undefined || last === item) return
    this.#heap[at] = last
    this.#rise(at)
    this.#sink(at)
  }

  #rise(from: number): void {
    const item = this.#heap[from]
    if (item === undefined) return
    let at = from
    while (at > 0) {
      const up = (at - 1) >> 1
      const parent = this.#heap[up]
      if (parent === undefined || parent.dueMs <= item.dueMs) break
      this.#heap[at] = parent
      at = up
    }
    this.#heap[at] = item
  }

  #sink(from: number): void {
    const item = this.#heap[from]
    if (item === undefined) return
    let at = from
    for (;;) {
      let down = 2 * at + 1
      let child = this.#heap[down]
      const right = this.#heap[down + 1]
      if (right !== undefined && child !== undefined && right.dueMs < child.dueMs) {
        down += 1
        child = right
      }
      if (child === undefined || child.dueMs >= item.dueMs) break
      this.#heap[at] = child
      at = down
    }
    this.#heap[at] = item
  }
}
