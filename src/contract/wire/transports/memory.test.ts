import { describeWire } from '../../../../test/wire-conformance.ts'
import { memoryTransportPair } from './memory.ts'

describeWire('memory', () => {
  const [main, page] = memoryTransportPair()
  return { main, page, close: () => main.close() }
})
