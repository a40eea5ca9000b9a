/**
 * Terminals take turns in parsing: at most two pieces in one round of the loop. Eight floods that each parse their piece in the same round
 * would make a key press elsewhere wait for all eight, twice.
 */
const AT_ONCE = 2

export interface ParseTurns {
  /** Calls back when it is this one's turn: at once when few parse. */
  enter(run: () => void): void
  /** The turn is over; one that has entered must leave. */
  leave(): void
}

export function createParseTurns(): ParseTurns {
  const waiting: Array<() => void> = []
  let parsing = 0
  return {
    enter(run) {
      if (parsing >= AT_ONCE) {
        waiting.push(run)
        return
      }
      parsing += 1
      run()
    },
    leave() {
      const next = waiting.shift()
      if (next === undefined) parsing -= 1
      else next()
    },
  }
}
