/** Moments as people read them, in the machine's own time zone, in one order everywhere: "30 November 2026, 12:51". */

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

export function formatMoment(epochMs: number): string {
  return `${day.format(epochMs)}, ${time.format(epochMs)}`
}

/** "30 November 2026, 12:51 to 12:58"; over midnight with both days. */
export function formatPeriod(fromEpochMs: number, toEpochMs: number): string {
  const sameDay = day.format(fromEpochMs) === day.format(toEpochMs)
  return `${formatMoment(fromEpochMs)} to ${sameDay ? time.format(toEpochMs) : formatMoment(toEpochMs)}`
}

/** For file names, sorting by name: "2026-11-30". */
export function fileDate(epochMs: number): string {
  const date = new Date(epochMs)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
