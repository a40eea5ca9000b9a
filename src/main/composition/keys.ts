/**
 * Keys for servers elsewhere, by name: from the environment first, then from the system's keychain where the host has one. A key is read when it is
 * sent and kept nowhere else; no sentence here holds one.
 */
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'

/** The system's keychain, as far as a host has one. */
export interface KeyVault {
  /** Undefined: none is kept under this name. */
  read(name: string): string | undefined
  save(name: string, key: string): Result<void, Problem>
  remove(name: string): void
  names(): readonly string[]
}

export interface Keys {
  read(name: string): Result<string, Problem>
  /** Null = this host has no keychain: keys come from the environment alone. */
  readonly vault: KeyVault | null
}

/** As variables of the environment are named; a key typed in its place mostly looks different and must not end up in a record. */
const NAME = /^[A-Z_][A-Z0-9_]{0,79}$/

export function createKeys(env: Readonly<Record<string, string | undefined>>, vault: KeyVault | null): Keys {
  return {
    vault,
    read(name) {
      if (!NAME.test(name)) return err(nameInvalid())
      const key = (env[name] ?? vault?.read(name) ?? '').trim()
      if (key === '') return err(keyMissing(name, vault !== null))
      // It goes into a header, where a line break would begin another one.
      return /^[\x21-\x7e]+$/.test(key) ? ok(key) : err(keyInvalid(name))
    },
  }
}

function nameInvalid(): Problem {
  return problem(
    'key-name-invalid',
    'What was given as the name of a key is not the name of a variable.',
    'The NAME under which the key is found was expected, in capitals: OPENAI_API_KEY.',
    'Put the key into a variable of the environment and give its name; a key itself does not belong on a command line.',
  )
}

function keyMissing(name: string, hasVault: boolean): Problem {
  return problem(
    'key-missing',
    `There is no key named ${name}.`,
    hasVault ? 'A variable of the environment or an entry of the keychain was expected.' : 'A variable of the environment was expected.',
    `Set it and start Plimsoll from there: ${name}=… plimsoll …`,
  )
}

function keyInvalid(name: string): Problem {
  return problem(
    'key-invalid',
    `The key ${name} holds characters that no key has (spaces, line breaks).`,
    '',
    'Set it anew, without quotes around it.',
  )
}
