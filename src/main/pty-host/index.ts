/** Entry of the pty-host process. */
export {}
