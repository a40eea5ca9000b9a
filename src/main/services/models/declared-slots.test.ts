import { describe, expect, test } from 'vitest'
import { isVersionKnown } from '../../../core/model-servers/ollama-slots.ts'
import { configuredSlots, declaredSlots, llamaServerPorts } from './declared-slots.ts'
import { listeningInodes } from './listening-process.ts'

const ollama = (env: Record<string, string> | null, childArgs: string[][] = []) => ({
  pid: 1,
  env: env === null ? null : new Map(Object.entries(env)),
  args: ['/usr/bin/ollama', 'serve'],
  childArgs,
})

describe('declared slots', () => {
  test('come from the environment of the process', () => {
    expect(declaredSlots(ollama({ OLLAMA_NUM_PARALLEL: '4' }), '0.0.0')).toMatchObject({ slots: 4 })
  })

  test('come first from what the model was started with: a family may be forced to one (R4)', () => {
    const runner = [['/usr/bin/ollama', 'runner', '--parallel', '1']]
    expect(declaredSlots(ollama({ OLLAMA_NUM_PARALLEL: '8' }, runner), '0.12.0')).toMatchObject({ slots: 1 })
    expect(declaredSlots({ pid: 1, env: null, args: ['llama-server', '-np', '3', '-c', '3072'], childArgs: [] }, null)).toMatchObject({ slots: 3 })
  })

  test('are not guessed when two models were started differently', () => {
    const runners = [
      ['llama-server', '-np', '1'],
      ['llama-server', '-np', '4'],
    ]
    expect(declaredSlots(ollama({ OLLAMA_NUM_PARALLEL: '4' }, runners), '0.30.0')).toMatchObject({
      slots: 4,
      source: "OLLAMA_NUM_PARALLEL of the server's process",
    })
  })

  test('are the default only where the variable is seen to be unset and the version is known', () => {
    expect(declaredSlots(ollama({}), '0.11.4')).toMatchObject({ slots: 1 })
    expect(declaredSlots(ollama({ OLLAMA_NUM_PARALLEL: '0' }), '1.2.3')).toMatchObject({ slots: 1 })
    expect(declaredSlots(ollama({}), '0.9.6')).toBeNull()
    expect(declaredSlots(ollama({}), '0.0.0')).toBeNull()
    expect(declaredSlots(ollama(null), '0.11.4')).toBeNull()
    expect(declaredSlots(null, '0.11.4')).toBeNull()
  })

  test('a family that is served one at a time gets one, whatever is set; of an unknown version that is not assumed', () => {
    const forced = 'the family qwen3next is served one request at a time'
    expect(declaredSlots(ollama({ OLLAMA_NUM_PARALLEL: '8' }), '0.17.0', forced)).toMatchObject({
      slots: 1,
      source: expect.stringContaining('qwen3next'),
    })
    expect(declaredSlots(ollama({ OLLAMA_NUM_PARALLEL: '8' }), '0.0.0', forced)).toMatchObject({ slots: 8 })
    expect(configuredSlots(ollama({ OLLAMA_NUM_PARALLEL: '8' }))).toBe(8)
  })

  test('the ports of llama-server children are in their command lines; an older runner has none of its own API', () => {
    const children = [
      ['/usr/lib/ollama/llama-server', '-m', 'x', '--port', '41234', '-np', '3'],
      ['/usr/bin/ollama', 'runner', '--port', '41235'],
    ]
    expect(llamaServerPorts(ollama({}, children))).toEqual([41234])
    expect(llamaServerPorts(null)).toEqual([])
  })

  test('of a build without a version nothing is known', () => {
    expect([
      isVersionKnown('0.11.4'),
      isVersionKnown('0.33.0-rc1'),
      isVersionKnown('0.0.0'),
      isVersionKnown('0.0.0-plimsoll-null'),
      isVersionKnown(null),
    ]).toEqual([true, true, false, false, false])
  })
})

test('a listening socket is found in the table of the kernel, a connected one is not', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0',
    '   1: 0100007F:2CAA 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 30 10 -1',
    '   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000000000000000 100 0 0 10 0',
  ].join('\n')
  expect(listeningInodes(table, 11434)).toEqual(['4711'])
})
