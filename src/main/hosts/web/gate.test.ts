import { expect, test } from 'vitest'
import { createGate } from './gate.ts'

let count = 0
const gateFor = (host: string) => createGate({ host, port: 7433, machineNames: ['gpu-box'], randomToken: () => `token-${count++}` })

test('on loopback only loopback names are ours, with any port: a tunnel may change it', () => {
  const gate = gateFor('127.0.0.1')
  for (const name of ['127.0.0.1:7433', 'localhost:9000', '[::1]:7433', 'LOCALHOST']) expect([name, gate.checkHost(name).ok]).toEqual([name, true])
  for (const name of ['10.0.0.5:7433', 'gpu-box:7433', 'evil.example', undefined, '']) expect([name, gate.checkHost(name).ok]).toEqual([name, false])
})

test('on all interfaces addresses and the machine’s own name are ours, other names never', () => {
  const gate = gateFor('0.0.0.0')
  for (const name of ['10.0.0.5:7433', '[fe80::1]:7433', 'gpu-box:7433', 'localhost']) expect([name, gate.checkHost(name).ok]).toEqual([name, true])
  expect(gate.checkHost('rebound.example:7433').ok).toBe(false)
})

test('a name given by --host is ours', () => {
  expect(gateFor('Plimsoll.lan').checkHost('plimsoll.lan:7433').ok).toBe(true)
})

test('only the newest sixteen unused links work', () => {
  const gate = gateFor('127.0.0.1')
  const tokens = Array.from({ length: 17 }, () => gate.issue())
  expect(gate.redeem(tokens[0] ?? '')).toBeUndefined()
  expect(gate.redeem(tokens[1] ?? '')).toBeDefined()
})
