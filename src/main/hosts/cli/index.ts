/** The `plimsoll` command. */
export {}
