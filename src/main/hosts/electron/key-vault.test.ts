import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createKeys } from '../../composition/keys.ts'
import { createKeyVault, type SafeStorage } from './key-vault.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-keys-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const storage = (change: Partial<SafeStorage> = {}): SafeStorage => ({
  isEncryptionAvailable: () => true,
  encryptString: (text) => Buffer.from([...text].reverse().join('')),
  decryptString: (bytes) => [...bytes.toString()].reverse().join(''),
  ...change,
})
const file = () => join(dir, 'keys.json')

test('a key is kept encrypted, read again by the next start, and removed', () => {
  expect(createKeyVault(file(), storage()).save('MY_KEY', 'sk-secret')).toMatchObject({ ok: true })
  expect(readFileSync(file(), 'utf8')).not.toContain('sk-secret')
  if (process.platform !== 'win32') expect(statSync(file()).mode & 0o077).toBe(0)
  const again = createKeyVault(file(), storage())
  expect([again.names(), again.read('MY_KEY'), again.read('OTHER')]).toEqual([['MY_KEY'], 'sk-secret', undefined])
  again.remove('MY_KEY')
  expect(again.names()).toEqual([])
})

test('without a keychain nothing is saved, and the sentence does not hold the key', () => {
  for (const change of [{ isEncryptionAvailable: () => false }, { getSelectedStorageBackend: () => 'basic_text' }]) {
    const saved = createKeyVault(file(), storage(change)).save('MY_KEY', 'sk-secret')
    expect(saved).toMatchObject({ ok: false, error: { code: 'keychain-missing' } })
    expect(JSON.stringify(saved)).not.toContain('sk-secret')
  }
  expect(() => readFileSync(file())).toThrow()
})

test('what another person has encrypted is as good as not there', () => {
  createKeyVault(file(), storage()).save('MY_KEY', 'sk-secret')
  const foreign = storage({
    decryptString() {
      throw new Error('Error while decrypting the ciphertext')
    },
  })
  expect(createKeyVault(file(), foreign).read('MY_KEY')).toBeUndefined()
})

test('the environment comes first, then the keychain; a key that would break its header is refused', () => {
  const vault = createKeyVault(file(), storage())
  vault.save('MY_KEY', 'from-keychain')
  vault.save('BAD_KEY', 'two\nlines')
  expect(createKeys({ MY_KEY: ' from-env ' }, vault).read('MY_KEY')).toEqual({ ok: true, value: 'from-env' })
  const keys = createKeys({}, vault)
  expect(keys.read('MY_KEY')).toEqual({ ok: true, value: 'from-keychain' })
  expect(keys.read('BAD_KEY')).toMatchObject({ ok: false, error: { code: 'key-invalid' } })
  expect(keys.read('NO_KEY')).toMatchObject({ ok: false, error: { code: 'key-missing' } })
  const typed = keys.read('sk-typed-by-mistake')
  expect(typed).toMatchObject({ ok: false, error: { code: 'key-name-invalid' } })
  expect(JSON.stringify(typed)).not.toContain('sk-typed')
})
