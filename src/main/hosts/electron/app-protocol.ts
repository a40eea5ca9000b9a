/** `plimsoll://app/` serves the built page: an origin of our own, standard and secure, instead of file addresses. */
import { protocol } from 'electron'
import { readPageFile, SAFETY_HEADERS } from '../page-files.ts'

const SCHEME = 'plimsoll'
export const APP_URL = `${SCHEME}://app/`

/** Must run before the app is ready. */
export function declareScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } }])
}

export function servePage(rendererDir: string): void {
  protocol.handle(SCHEME, async (request) => {
    const url = new URL(request.url)
    const file = url.host === 'app' && request.method === 'GET' ? await readPageFile(rendererDir, url.pathname) : undefined
    if (file === undefined) return new Response('Not found', { status: 404, headers: SAFETY_HEADERS })
    return new Response(new Uint8Array(file.content), {
      headers: { ...SAFETY_HEADERS, 'content-type': file.mediaType, 'cache-control': file.cacheControl },
    })
  })
}
