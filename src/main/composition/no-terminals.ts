/** Stands in until the terminals service is there. */
import type { ProcessRef } from '../../core/metric/process-ref.ts'
import type { TerminalId } from '../../core/result/ids.ts'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, type Result } from '../../core/result/result.ts'
import type { Terminal } from '../../core/terminal/terminal.ts'

export interface Terminals {
  list(): Terminal[]
  onChange(listener: () => void): () => void
  open(wanted: { cols: number; rows: number; cwd: string | null; command: string | null; args: string[] }): Promise<Result<Terminal, Problem>>
  write(terminalId: TerminalId, data: string): void
  resize(terminalId: TerminalId, cols: number, rows: number): void
  close(terminalId: TerminalId): Promise<void>
  output(terminalId: TerminalId, listener: (chunk: Uint8Array) => void): () => void
  processes(): readonly ProcessRef[]
}

export const noTerminals: Terminals = {
  list: () => [],
  onChange: () => () => {},
  open: async () => err(problem('no-terminals', 'Terminals are not there yet.', '', '')),
  write: () => {},
  resize: () => {},
  close: async () => {},
  output: () => () => {},
  processes: () => [],
}
