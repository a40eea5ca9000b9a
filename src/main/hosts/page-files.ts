/** The built page's files, for whichever host serves them: which file a path means, its media type, and the policy under which the page runs. */
import { readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

/** Nothing from elsewhere, no inline script. Inline styles are what xterm and the charts set. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** With every answer, page or not. */
export const SAFETY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

export type PageFile = { content: Buffer; mediaType: string; cacheControl: string }

/**
 * @param pathname of the URL, still encoded; "/" is index.html
 * @returns undefined when there is no such file, or when the path leads out of the folder
 */
export async function readPageFile(rendererDir: string, pathname: string): Promise<PageFile | undefined> {
  const path = pagePath(rendererDir, pathname)
  if (path === undefined) return undefined
  try {
    const content = await readFile(path)
    // Names under assets/ hold a hash of what is in them.
    const cacheControl = pathname.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-cache'
    return { content, mediaType: MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream', cacheControl }
  } catch {
    return undefined
  }
}

function pagePath(rendererDir: string, pathname: string): string | undefined {
  let decoded: string
  try {
    decoded = decodeURIComponent(pathname)
  } catch {
    return undefined
  }
  if (decoded.includes('\0') || decoded.includes('\\')) return undefined
  const root = join(rendererDir, sep)
  const path = join(root, decoded === '/' ? 'index.html' : decoded)
  return path.startsWith(root) ? path : undefined
}
