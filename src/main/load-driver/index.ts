/** Entry of the load-driver process. */
export {}
