/** How a command ended, as its exit code; stands in --help. */

export const EXIT = {
  done: 0,
  /** Something failed; what it was, and what was kept, stands on standard error. */
  failed: 1,
  /** The command line can't be understood or asks for something impossible. */
  badInput: 2,
  /** `compare --fail-on regression` found one. */
  regression: 3,
  /** A fault of Plimsoll's own. */
  bug: 70,
  /** Ctrl-C; a sweep has kept and reported what there was. */
  interrupted: 130,
} as const

export const EXIT_CODES_HELP = `
Exit codes: 0 done; 1 failed (what was measured is kept and reported); 2 the command line is wrong; 3 compare found a regression; 70 a fault of Plimsoll's own; 130 stopped by Ctrl-C (reported too).`
