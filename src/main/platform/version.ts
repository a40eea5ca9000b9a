/** The version of this Plimsoll, from its package. */
export { version } from '../../../package.json'
