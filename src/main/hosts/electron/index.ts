/** Electron's entry: opens the window. Thin by rule; everything else is the same as in the web host. */
export {}
