/**
 * Keys in the system's keychain: Electron's safeStorage encrypts them, a file in the data folder holds what comes of it. Where the system has no
 * keychain, nothing is saved: text that anybody can read is no safe place.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { KeyVault } from '../../composition/keys.ts'

/** The part of Electron's safeStorage that is needed. Usable once the app is ready. */
export interface SafeStorage {
  isEncryptionAvailable(): boolean
  /** Linux only. `basic_text`: there is no keychain, and the text is merely disguised. */
  getSelectedStorageBackend?(): string
  encryptString(text: string): Buffer
  decryptString(encrypted: Buffer): string
}

export function createKeyVault(file: string, storage: SafeStorage): KeyVault {
  const load = (): Record<string, string> => {
    try {
      const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
      return typeof value === 'object' && value !== null ? { ...(value as Record<string, string>) } : {}
    } catch {
      return {}
    }
  }
  const store = (keys: Record<string, string>) => {
    const aside = `${file}.new`
    writeFileSync(aside, JSON.stringify(keys), { mode: 0o600 })
    chmodSync(aside, 0o600)
    renameSync(aside, file)
  }
  const isSafe = () => storage.isEncryptionAvailable() && storage.getSelectedStorageBackend?.() !== 'basic_text'
  return {
    read(name) {
      const encrypted = load()[name]
      if (typeof encrypted !== 'string' || !isSafe()) return undefined
      try {
        return storage.decryptString(Buffer.from(encrypted, 'base64'))
      } catch {
        // Encrypted by another person or machine: it is as good as not there.
        return undefined
      }
    },
    save(name, key): Result<void, Problem> {
      if (!isSafe()) return err(noKeychain(name))
      try {
        store({ ...load(), [name]: storage.encryptString(key).toString('base64') })
        return ok(undefined)
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
        return err(
          problem(
            'key-not-saved',
            `The key ${name} could not be written to ${file} (${code}).`,
            '',
            'Free some space or check who may write there, and save it again.',
          ),
        )
      }
    },
    remove(name) {
      const { [name]: removed, ...rest } = load()
      if (removed !== undefined) store(rest)
    },
    names: () => Object.keys(load()).sort(),
  }
}

function noKeychain(name: string): Problem {
  return problem(
    'keychain-missing',
    'This system has no keychain in which a key would be safe; it was not saved.',
    'A keychain (on Linux GNOME Keyring or KWallet) was expected.',
    `Start Plimsoll with the key in the environment instead: ${name}=…`,
  )
}
