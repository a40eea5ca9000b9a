/** Hands a text to the browser as a file. */

/** Long enough for the browser to have taken the text. */
const REVOKE_AFTER_MS = 10_000

export function offerDownload(fileName: string, mediaType: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS)
}
