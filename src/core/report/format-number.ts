/**
 * How numbers read, everywhere the same: always with a unit, ms below one second, then seconds with two decimals (shared by page, report and terminal).
 * Pure and free of locale, so that a report reads alike on every machine.
 */

const GROUP = /\B(?=(\d{3})+(?!\d))/g

/** Thousands parted by commas: 1,698. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(GROUP, ',')
}

const fixed = (value: number, digits: number): string => {
  const [whole = '0', rest] = value.toFixed(digits).split('.')
  const grouped = whole.replace(GROUP, ',')
  return rest === undefined ? grouped : `${grouped}.${rest}`
}

/** A span: `0.42 ms`, `3.8 ms`, `145 ms`, `1.60 s`, `124 s`. */
export function formatMs(ms: number): string {
  const size = Math.abs(ms)
  if (size < 0.995) return size < 0.005 ? '0 ms' : `${ms.toFixed(2)} ms`
  if (size < 9.95) return `${ms.toFixed(1)} ms`
  if (size < 999.5) return `${Math.round(ms)} ms`
  return size < 99_995 ? `${fixed(ms / 1000, 2)} s` : `${fixed(ms / 1000, 0)} s`
}

/** A span that was chosen, not measured (a limit, a tick), without digits that say nothing: `2 s`, `0.5 ms`, `1.5 s`. */
export function formatSettingMs(ms: number): string {
  return ms >= 1000 ? `${fixed(ms / 1000, 3).replace(/\.?0+$/, '')} s` : `${Number(ms.toFixed(3))} ms`
}

/** How long something takes, for people: `44 s`, `6 min 44 s`, `1 h 12 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Tokens a second without their unit: `7.42`, `97.8`, `1,240`. */
export function formatRate(perSec: number): string {
  if (perSec === 0) return '0'
  if (Math.abs(perSec) < 9.995) return perSec.toFixed(2)
  return Math.abs(perSec) < 999.5 ? perSec.toFixed(1) : formatCount(perSec)
}

/** @param ratio 0 to 1 @returns `98.1 %`, `100 %`, `0 %` */
export function formatRatio(ratio: number): string {
  return formatPercent(ratio * 100)
}

/** @param percent 0 to 100 @returns one decimal, none where it would be 0: `57 %`, `98.1 %` */
export function formatPercent(percent: number): string {
  const rounded = Math.round(Math.abs(percent) * 10) / 10
  const sign = percent < 0 && rounded > 0 ? '−' : ''
  return `${sign}${Number.isInteger(rounded) ? rounded : rounded.toFixed(1)} %`
}

/** Powers of 1000, as disks and model files are sold: `145 MB`, `15.6 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B`
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} kB`
  if (bytes < 999_500_000) return `${bytes < 9_950_000 ? (bytes / 1e6).toFixed(1) : Math.round(bytes / 1e6)} MB`
  return `${fixed(bytes / 1e9, 1)} GB`
}

/** Slots and the like: whole numbers bare, others with one decimal. */
export function formatAmount(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : value.toFixed(1)
}
