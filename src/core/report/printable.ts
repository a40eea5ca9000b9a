/** What servers, files and other programs say, made fit for one's own terminal. */

/**
 * Without control characters, line ends among them, and without those that turn the reading direction of what follows:
 * none of theirs may reach a terminal.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
}
