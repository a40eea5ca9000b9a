/** Inter and JetBrains Mono, latin, inside the file: a report reads alike on a machine that has neither. Inlined when Plimsoll is built. */
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline'
import jetBrainsMono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?inline'

const face = (family: string, dataUrl: string, weights: string) =>
  `@font-face{font-family:'${family}';font-style:normal;font-weight:${weights};src:url(${dataUrl}) format('woff2')}`

export const FONT_FACES = [face('Inter Variable', inter, '100 900'), face('JetBrains Mono Variable', jetBrainsMono, '100 800')].join('\n')
