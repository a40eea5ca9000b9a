import headless from '@xterm/headless'
import { expect, test } from 'vitest'
import { createParseTurns } from './parse-turns.ts'
import { createScreen, SCROLLBACK_LINES, type ScreenEvents } from './screen.ts'

const turns = createParseTurns()
function create(events: Partial<ScreenEvents> = {}) {
  const none = () => {}
  return createScreen({ cols: 40, rows: 5 }, turns, { onTitle: none, onCwd: none, onReply: none, onParsed: none, ...events })
}
const parsed = (screen: ReturnType<typeof create>) => new Promise<void>((resolve) => screen.whenParsed(resolve))

async function shownBy(sequences: string) {
  const terminal = new headless.Terminal({ cols: 40, rows: 5, scrollback: 5_000, allowProposedApi: true })
  await new Promise<void>((resolve) => terminal.write(sequences, resolve))
  const buffer = terminal.buffer.active
  const lines = Array.from({ length: buffer.length }, (_, index) => buffer.getLine(index)?.translateToString(true) ?? '')
  const cursor = [buffer.cursorX, buffer.cursorY]
  terminal.dispose()
  return { lines, cursor }
}

test('a replay shows what the terminal showed, cursor included', async () => {
  const screen = create()
  const story = `${Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\r\n')}\r\n\x1b[1;32mgreen\x1b[0m and wide 漢字 👩‍🚀\r\nprompt> `
  screen.write(Buffer.from(story))
  await parsed(screen)
  expect(await shownBy(screen.replay())).toEqual(await shownBy(story))
  screen.close()
})

test('a moment of the stream is exact: before it all is parsed, after it nothing', async () => {
  const screen = create()
  screen.write(Buffer.from('before '.repeat(20_000)))
  screen.write(Buffer.from('\r\nlast of before'))
  let replay = ''
  screen.whenParsed(() => {
    replay = screen.replay()
  })
  screen.write(Buffer.from('AFTER'))
  await parsed(screen)
  expect(replay).toContain('last of before')
  expect(replay).not.toContain('AFTER')
  expect(screen.replay()).toContain('AFTER')
  expect(screen.backlogBytes).toBe(0)
  screen.close()
})

test('modes that matter to a viewer are in the replay, and gone after a reset', async () => {
  const screen = create()
  screen.write(Buffer.from('\x1b[?25l\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1049hfull screen'))
  await parsed(screen)
  for (const mode of ['\x1b[?25l', '\x1b[?1003h', '\x1b[?1006h', '\x1b[?2004h', '\x1b[?1049h']) expect(screen.replay()).toContain(mode)
  screen.write(Buffer.from('\x1bcplain'))
  await parsed(screen)
  expect(screen.replay()).not.toMatch(/\?(25l|1003h|1006h|2004h|1049h)/)
  screen.close()
})

test('the text for the disk has neither modes nor the full screen of a program that is gone', async () => {
  const screen = create()
  screen.write(Buffer.from('shell text\r\n\x1b[?1003h\x1b[?1049heditor'))
  await parsed(screen)
  expect(screen.text(1_000_000)).toContain('shell text')
  expect(screen.text(1_000_000)).not.toMatch(/editor|\?1003h/)
  screen.close()
})

test('memory is bounded: the oldest lines go, and the text gets shorter rather than too long', async () => {
  const screen = create()
  const lines = SCROLLBACK_LINES + 500
  screen.write(Buffer.from(Array.from({ length: lines }, (_, i) => `line-${i}-`).join('\r\n')))
  await parsed(screen)
  expect(screen.replay()).not.toContain('line-400-')
  expect(screen.replay()).toContain(`line-${lines - 1}-`)
  expect(screen.text(2_000).length).toBeLessThanOrEqual(2_000)
  expect(screen.text(2_000)).toContain(`line-${lines - 1}-`)
  screen.close()
})

test('titles, folders and answers are told', async () => {
  const told: string[] = []
  const screen = create({ onTitle: (title) => told.push(title), onCwd: (path) => told.push(path), onReply: (data) => told.push(data) })
  screen.write(Buffer.from('\x1b]0;one\x07\x1b]2;two\x1b\\\x1b]7;file://box/home/a%20b\x07\x1b]7;nonsense\x07\x1b[6n'))
  await parsed(screen)
  expect(told).toEqual(['one', 'two', '/home/a b', '\x1b[1;1R'])
  screen.close()
})

test('of many that have much to parse, each gets its turn', async () => {
  const screens = Array.from({ length: 6 }, () => create())
  for (const screen of screens) screen.write(Buffer.from('x'.repeat(200_000)))
  const [first, second, third, ...others] = screens
  await parsed(third as ReturnType<typeof create>)
  for (const screen of others) expect(screen.backlogBytes).toBeLessThan(100_000)
  await Promise.all(others.map(parsed))
  // Those that go in the middle of their turns do not keep them.
  for (const screen of [first, second]) {
    screen?.write(Buffer.from('x'.repeat(200_000)))
    screen?.close()
  }
  third?.close()
  const late = [create(), create(), create()]
  for (const screen of late) screen.write(Buffer.from('late'))
  await Promise.all(late.map(parsed))
  for (const screen of [...others, ...late]) screen.close()
})
