/** Real terminals: open, write, resize, close, watch. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import type { Problem } from '../../core/result/problem.ts'
import { ok, type Result } from '../../core/result/result.ts'
import type { App } from '../compose.ts'

export function createTerminalsApi({ terminals }: App): Api<PlimsollContract>['terminals'] {
  return {
    list(_input, out) {
      const send = () => void out.next(terminals.list())
      send()
      return terminals.onChange(send)
    },
    open: (request) => terminals.open(request),
    write: ({ terminalId, data }) => emptied(terminals.write(terminalId, data)),
    resize: ({ terminalId, cols, rows }) => emptied(terminals.resize(terminalId, cols, rows)),
    close: async ({ terminalId }) => emptied(await terminals.closeTerminal(terminalId)),
    output: ({ terminalId }, out) => terminals.output(terminalId, out),
  }
}

const emptied = (result: Result<void, Problem>) => (result.ok ? ok({}) : result)
