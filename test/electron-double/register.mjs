/** `node --import` this, and `electron` is the double, in every module that is loaded after it. */
import { register } from 'node:module'

const double = new URL('electron.mjs', import.meta.url).href
const hooks = `export async function resolve(specifier, context, next) {
  return specifier === 'electron' ? { url: ${JSON.stringify(double)}, shortCircuit: true } : next(specifier, context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
