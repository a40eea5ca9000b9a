/** The vocabulary of the generated models: some hundred whole words, their prefixes so that SPM merges reach them, and all bytes, so that any text tokenizes. */

export const WORDS = (
  'the a of to and in is it for on with as by at from this that be are not or if then else return const let function class import export ' +
  'async await new file test build error token model agent cache batch queue latency memory budget run task plan code line patch branch commit review merge ' +
  'fast slow small large first last next value index loop list map key node tree path read write open close send stream start stop wait ready done true false ' +
  'null zero one two three user server client request response data time step pass fail warn fix check'
).split(' ')

/** Token kinds of the GGUF specification. */
const TYPE = { normal: 1, unknown: 2, control: 3, byte: 6 } as const

export interface VocabularyToken {
  readonly text: string
  readonly score: number
  readonly type: number
  /** May be generated. */
  readonly spoken: boolean
}

export interface Vocabulary {
  readonly tokens: readonly VocabularyToken[]
  readonly endOfTurn: number
}

/** SPM's mark for a space. */
const SPACE = '\u2581'

export function makeVocabulary(): Vocabulary {
  const tokens = new Map<string, VocabularyToken>()
  const add = (text: string, score: number, type: number, spoken: boolean) => {
    if (!tokens.has(text)) tokens.set(text, { text, score, type, spoken })
  }
  add('<unk>', 0, TYPE.unknown, false)
  add('<s>', 0, TYPE.control, false)
  add('</s>', 0, TYPE.control, false)
  for (let byte = 0; byte < 256; byte++) add(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, 0, TYPE.byte, false)
  add('<|im_start|>', 0, TYPE.control, false)
  const endOfTurn = tokens.size
  add('<|im_end|>', 0, TYPE.control, false)
  for (const mark of '.,;:(){}=+-') add(mark, -1000, TYPE.normal, true)
  for (const word of WORDS) add(SPACE + word, -1, TYPE.normal, true)
  for (const word of WORDS) for (let length = 0; length < word.length; length++) add(SPACE + word.slice(0, length), -500 + length, TYPE.normal, false)
  for (let code = 33; code < 127; code++) add(String.fromCharCode(code), -1000, TYPE.normal, false)
  return { tokens: [...tokens.values()], endOfTurn }
}
