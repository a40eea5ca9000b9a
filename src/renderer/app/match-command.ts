/** How well a command answers what was typed. Pure. */
import type { Command } from '../stores/command-store.ts'

/**
 * @returns 0 = no answer; 1 the best. The beginning of any word counts alike, so that the order of the commands decides. The bare key of a chord ("2", "t") finds its command first: where a browser keeps a chord for itself,
 * Ctrl K and then the same digit or letter does it.
 */
export function matchCommand(command: Pick<Command, 'title' | 'detail' | 'chord'>, typed: string): number {
  const query = typed.trim().toLowerCase()
  if (query === '') return 1
  if (query.length === 1 && /^[a-z0-9]$/.test(query) && command.chord?.includes('+') === true && command.chord.endsWith(`+${query}`)) return 1
  const title = command.title.toLowerCase()
  const at = title.indexOf(query)
  if (at >= 0) return at === 0 || title[at - 1] === ' ' ? 0.9 : 0.5
  const words = query.split(/\s+/)
  const everything = `${title} ${command.detail?.toLowerCase() ?? ''}`
  return words.every((word) => everything.includes(word)) ? 0.3 : 0
}

/** The title in three pieces: before, matched, after; undefined when what was typed does not stand in it. */
export function matchedPieces(title: string, typed: string): [string, string, string] | undefined {
  const query = typed.trim().toLowerCase()
  const at = query === '' ? -1 : title.toLowerCase().indexOf(query)
  return at === -1 ? undefined : [title.slice(0, at), title.slice(at, at + query.length), title.slice(at + query.length)]
}
