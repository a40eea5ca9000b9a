/** Markup that can't be broken by what it shows: every value put into `html` is escaped, unless it is markup made by `html` itself. */

export class Markup {
  constructor(readonly text: string) {}
}

export type Shown = Markup | string | number | false | null | undefined | readonly Shown[]

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Characters that no HTML may hold, or that would turn the text around them (bidirectional overrides). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are to be removed.
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

function escapeText(text: string): string {
  return text.replace(UNPRINTABLE, '').replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char)
}

function shown(value: Shown): string {
  if (value instanceof Markup) return value.text
  if (value === null || value === undefined || value === false) return ''
  return typeof value === 'object' ? value.map(shown).join('') : escapeText(String(value))
}

export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + shown(values[index - 1]) + part))
}

/** Text of our own that is markup already: style sheets, scripts. Never for anything that came from outside. */
export function trusted(text: string): Markup {
  return new Markup(text)
}

/** A coordinate in percent of the chart, short. */
export function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`
}

/** A number and its unit stay on one line. For sentences; figures in tables don't wrap anyway. */
export function prose(text: string): string {
  return text.replace(/(\d) (?=(?:%|ms|s|min|h|GB|MB|kB|tokens\/s)(?![\w]))/g, '$1\u00a0').replace(/\bN = (?=\d)/g, 'N\u00a0=\u00a0')
}
