/** Whose messages count: the top frame of our own page, nobody else's. Pure. */

/** Custom schemes have the origin "null" for `URL`; ours is scheme and host. */
export function originOf(url: string): string {
  try {
    const { protocol, host } = new URL(url)
    return `${protocol}//${host}`
  } catch {
    return ''
  }
}

export interface Frame {
  readonly url: string
  readonly parent: unknown
}

/** A frame that has gone is null: it is refused too. */
export function isOurPage(frame: Frame | null, pageUrl: string): boolean {
  return frame !== null && frame.parent === null && originOf(frame.url) === originOf(pageUrl)
}
