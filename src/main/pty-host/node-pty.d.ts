/** The package is installed under its upstream's name, but its types name it by its own. */
/// <reference types="node-pty" />
declare module 'node-pty' {
  export * from '@lydell/node-pty'
}
