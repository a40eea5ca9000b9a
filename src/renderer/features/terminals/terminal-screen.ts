/**
 * One xterm with its stream: lives as long as the terminal is listed, whether or not a pane shows it, so that switching tabs loses nothing.
 * Owns the xterm, its addons and the subscription; `dispose` ends them all.
 */
import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { WebglAddon } from '@xterm/addon-webgl'
import { type ITheme, Terminal } from '@xterm/xterm'
import type { PageConnection } from '../../stores/page-connection.ts'

export interface TerminalScreen {
  /** Shows it in `container`, fitted; taken out of where it was before. */
  attach(container: HTMLElement): void
  detach(): void
  focus(): void
  setFontSize(px: number): void
  setTheme(theme: ITheme): void
  findNext(text: string): boolean
  findPrevious(text: string): boolean
  clearFind(): void
  /** The text of the screen and scrollback, for tests and for copying all. */
  text(): string
  dispose(): void
}

export type WebglChoice = 'off' | 'auto' | 'on'

export interface TerminalScreenDeps {
  readonly connection: PageConnection
  readonly terminalId: string
  readonly theme: ITheme
  readonly fontSize: number
  readonly webgl: WebglChoice
  /** Key chords that belong to the app, not to the program in the pane. */
  isAppKey(event: KeyboardEvent): boolean
}

/** Lines kept per screen; the whole text is on disk. 160 columns take about 2 MB per 1,000 lines. */
const SCROLLBACK_LINES = 2_000
const FIT_PAUSE_MS = 40

let hardwareWebgl: boolean | undefined
/** WebGL by software is four times slower than the DOM; `auto` takes it only where a GPU stands behind it. */
function hasHardwareWebgl(): boolean {
  if (hardwareWebgl !== undefined) return hardwareWebgl
  const gl = document.createElement('canvas').getContext('webgl2')
  const info = gl?.getExtension('WEBGL_debug_renderer_info')
  const name = gl !== null && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : ''
  gl?.getExtension('WEBGL_lose_context')?.loseContext()
  hardwareWebgl = name !== '' && !/swiftshader|llvmpipe|software/i.test(name)
  return hardwareWebgl
}

function openLink(_event: MouseEvent, uri: string) {
  if (/^https?:/i.test(uri)) window.open(uri, '_blank', 'noopener,noreferrer')
}

function createXterm(deps: TerminalScreenDeps) {
  const term = new Terminal({
    allowProposedApi: true,
    cursorBlink: false,
    fontFamily: "'JetBrains Mono Variable', 'JetBrains Mono', ui-monospace, monospace",
    fontSize: deps.fontSize,
    lineHeight: 1.15,
    scrollback: SCROLLBACK_LINES,
    screenReaderMode: false,
    theme: deps.theme,
    minimumContrastRatio: 4.5,
  })
  const fit = new FitAddon()
  const search = new SearchAddon()
  term.loadAddon(fit)
  term.loadAddon(search)
  term.loadAddon(new WebLinksAddon(openLink))
  term.loadAddon(new UnicodeGraphemesAddon())
  return { term, fit, search }
}

export function createTerminalScreen(deps: TerminalScreenDeps): TerminalScreen {
  const { connection } = deps
  const terminalId = deps.terminalId as never
  const { term, fit, search } = createXterm(deps)
  const host = document.createElement('div')
  host.style.cssText = 'width:100%;height:100%'
  let opened = false
  let webgl: WebglAddon | undefined
  let fitTimer: ReturnType<typeof setTimeout> | undefined

  term.attachCustomKeyEventHandler((event) => !deps.isAppKey(event))
  term.onData((data) => void connection.client.terminals.write({ terminalId, data }))
  term.onResize(({ cols, rows }) => void connection.client.terminals.resize({ terminalId, cols, rows }))

  const stopOutput = connection.live((client) => {
    // Each opening begins with a replay of the screen, so what stood here before would stand twice.
    term.reset()
    return client.terminals.output({ terminalId }, { next: (bytes) => new Promise<void>((parsed) => term.write(bytes, parsed)) })
  })

  const fitSoon = () => {
    clearTimeout(fitTimer)
    fitTimer = setTimeout(() => {
      if (host.isConnected && host.clientWidth > 0) fit.fit()
    }, FIT_PAUSE_MS)
  }
  const observer = new ResizeObserver(fitSoon)

  const dropWebgl = () => {
    webgl?.dispose()
    webgl = undefined
  }
  const takeWebgl = () => {
    if (webgl !== undefined || deps.webgl === 'off' || (deps.webgl === 'auto' && !hasHardwareWebgl())) return
    try {
      const addon = new WebglAddon()
      addon.onContextLoss(dropWebgl)
      term.loadAddon(addon)
      webgl = addon
    } catch {
      // No context to be had: the DOM renderer, which is there already, goes on.
    }
  }

  return {
    attach(container) {
      container.append(host)
      if (!opened) {
        term.open(host)
        opened = true
      }
      observer.observe(host)
      takeWebgl()
      if (host.clientWidth > 0) fit.fit()
    },
    detach() {
      observer.disconnect()
      // Browsers give a page about 16 contexts; hidden panes must not hold one.
      dropWebgl()
      host.remove()
    },
    focus: () => term.focus(),
    setFontSize(px) {
      if (term.options.fontSize === px) return
      term.options.fontSize = px
      fitSoon()
    },
    setTheme(theme) {
      term.options.theme = theme
    },
    findNext: (text) => search.findNext(text),
    findPrevious: (text) => search.findPrevious(text),
    clearFind: () => search.clearDecorations(),
    text() {
      const buffer = term.buffer.active
      return Array.from({ length: buffer.length }, (_, line) => buffer.getLine(line)?.translateToString(true) ?? '').join('\n')
    },
    dispose() {
      clearTimeout(fitTimer)
      observer.disconnect()
      stopOutput()
      host.remove()
      term.dispose()
    },
  }
}
