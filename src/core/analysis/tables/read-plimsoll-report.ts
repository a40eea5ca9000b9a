/** Plimsoll's own report: the raw data inside its HTML file, or the same as JSON. */
import { type RawData, unpackRawData } from '../../report/raw-data.ts'

const RAW_DATA = /<script type="application\/json" id="raw-data"[^>]*>([\s\S]*?)<\/script>/

/** @param given the text of a report file, or parsed JSON @returns undefined when it is no report of ours */
export function readPlimsollReport(given: unknown): RawData | undefined {
  if (typeof given !== 'string') return unpackRawData(given)
  const json = RAW_DATA.exec(given)?.[1]
  if (json === undefined) return undefined
  try {
    return unpackRawData(JSON.parse(json))
  } catch {
    return undefined
  }
}
