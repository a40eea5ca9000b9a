/** A process that the sampler looks at. */
import type { ProcessRole } from './sample.ts'

export type ProcessRef = {
  readonly role: ProcessRole
  readonly pid: number
  /** With all its descendants, summed into one row. */
  readonly tree: boolean
}
