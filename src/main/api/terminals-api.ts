/** Real terminals: open, write, resize, close, watch. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import { ok } from '../../core/result/result.ts'
import type { App } from '../compose.ts'

export function createTerminalsApi({ terminals }: App): Api<PlimsollContract>['terminals'] {
  return {
    list(_input, out) {
      const send = () => void out.next(terminals.list())
      send()
      return terminals.onChange(send)
    },
    open: (input) => terminals.open(input),
    write({ terminalId, data }) {
      terminals.write(terminalId, data)
      return ok({})
    },
    resize({ terminalId, cols, rows }) {
      terminals.resize(terminalId, cols, rows)
      return ok({})
    },
    async close({ terminalId }) {
      await terminals.close(terminalId)
      return ok({})
    },
    output: ({ terminalId }, out) => terminals.output(terminalId, (chunk) => out.next(chunk)),
  }
}
