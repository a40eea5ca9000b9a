/** Tests that fork our child processes run the built files: build them first when a source is newer. */
import { buildWhenStale } from '../scripts/build-when-stale.mjs'

// Vitest finds set-ups by their default export or a function named `setup`.
export function setup() {
  buildWhenStale()
}
