/**
 * What we use of node-pty. The package is installed from a fork under its upstream's name, and its own types are declared under the fork's name.
 */
declare module 'node-pty' {
  export interface IPty {
    readonly pid: number
    /** Name of the program in the foreground. */
    readonly process: string
    /** Bytes with `encoding: null` on Linux and macOS, text on Windows. */
    readonly onData: (listener: (data: Uint8Array | string) => void) => { dispose(): void }
    readonly onExit: (listener: (exit: { exitCode: number; signal?: number }) => void) => { dispose(): void }
    write(data: string): void
    /** Throws when the program has ended. */
    resize(cols: number, rows: number): void
    pause(): void
    resume(): void
  }

  /** Throws when the system has no pseudo-terminal left. */
  export function spawn(
    file: string,
    args: string[],
    options: { name: string; cwd: string; env: Record<string, string>; cols: number; rows: number; encoding: null },
  ): IPty
}
