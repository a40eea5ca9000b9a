/** One cell of a table as a number: decimal commas, thousands, units behind the number, and the words that mean "none". */

/** What a unit behind a number multiplies it by, to milliseconds. */
const MS_PER: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  msec: 1,
  s: 1000,
  sec: 1000,
  secs: 1000,
  seconds: 1000,
  second: 1000,
  min: 60_000,
  mins: 60_000,
  minutes: 60_000,
}
const MIB_PER: Readonly<Record<string, number>> = { kib: 1 / 1024, kb: 1 / 1024, mib: 1, mb: 1, gib: 1024, gb: 1024 }

/** A time unit's milliseconds, or undefined for no time unit. */
export const msPer = (unit: string): number | undefined => MS_PER[unit]
export const mibPer = (unit: string): number | undefined => MIB_PER[unit]

export type Cell =
  | { readonly kind: 'number'; readonly value: number; readonly unit: string | null }
  | { readonly kind: 'none' }
  /** Was meant as a number and is none: NaN, Infinity, #DIV/0!. */
  | { readonly kind: 'broken'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }

const NONE = new Set(['', '-', '–', '—', 'n/a', 'na', 'null', 'none', '?', 'undefined'])
const BROKEN = new Set(['nan', 'inf', '+inf', '-inf', 'infinity', '-infinity', '#div/0!', '#n/a', '#value!'])
const NUMBER = /^[~≈<>≤≥]?\s*([+-]?[\d.,'\u00a0\u202f ]*\d[\d.,]*(?:e[+-]?\d+)?)\s*([a-zµ%/×]*[a-z%/×. ]*)$/i

/** @param decimalComma whether `1,5` is one and a half in this table (else it is fifteen hundred's way of writing 15, or 1500 for `1,500`) */
export function parseCell(raw: unknown, decimalComma = false): Cell {
  if (typeof raw === 'number') return Number.isFinite(raw) ? { kind: 'number', value: raw, unit: null } : { kind: 'broken', text: String(raw) }
  if (raw === null || raw === undefined) return { kind: 'none' }
  if (typeof raw !== 'string') return { kind: 'text', text: typeof raw === 'boolean' ? String(raw) : JSON.stringify(raw).slice(0, 200) }
  const text = raw.trim()
  const lower = text.toLowerCase()
  if (NONE.has(lower)) return { kind: 'none' }
  if (BROKEN.has(lower)) return { kind: 'broken', text }
  // A long cell is no number, and the pattern below should never see a megabyte.
  const match = text.length > 60 ? null : NUMBER.exec(text)
  if (match === null) return { kind: 'text', text }
  const value = Number(plainNumber(match[1] ?? '', decimalComma))
  const unit = (match[2] ?? '').trim().toLowerCase()
  return Number.isFinite(value) ? { kind: 'number', value, unit: unit === '' ? null : unit } : { kind: 'text', text }
}

function plainNumber(digits: string, decimalComma: boolean): string {
  const bare = digits.replace(/['\u00a0\u202f ]/g, '')
  const [comma, point] = [bare.lastIndexOf(','), bare.lastIndexOf('.')]
  if (comma === -1) return decimalComma && /^[+-]?\d{1,3}(\.\d{3})+$/.test(bare) ? bare.replace(/\./g, '') : bare
  if (point !== -1) return comma > point ? bare.replace(/\./g, '').replace(',', '.') : bare.replace(/,/g, '')
  if (decimalComma) return bare.replace(',', '.')
  return /^[+-]?\d{1,3}(,\d{3})+$/.test(bare) ? bare.replace(/,/g, '') : bare.replace(',', '.')
}
