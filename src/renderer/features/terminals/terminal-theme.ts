/** The terminal's colours from the page's tokens, as xterm wants them: plain colours, so `light-dark()` is resolved here. */
import type { ITheme } from '@xterm/xterm'

function resolver(): { colour(token: string): string; done(): void } {
  const probe = document.createElement('span')
  probe.hidden = true
  document.body.append(probe)
  return {
    colour(token) {
      probe.style.color = `var(--${token})`
      return getComputedStyle(probe).color
    },
    done: () => probe.remove(),
  }
}

export function terminalTheme(): ITheme {
  const { colour, done } = resolver()
  const theme: ITheme = {
    background: colour('surface-1'),
    foreground: colour('text-1'),
    cursor: colour('text-1'),
    cursorAccent: colour('surface-1'),
    selectionBackground: colour('selection'),
    black: colour('surface-3'),
    brightBlack: colour('ansi-dim'),
    white: colour('text-1'),
    brightWhite: colour('text-1'),
  }
  for (const hue of ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const) {
    const value = colour(`ansi-${hue}`)
    theme[hue] = value
    theme[`bright${hue[0]?.toUpperCase()}${hue.slice(1)}` as 'brightRed'] = value
  }
  done()
  return theme
}
