/** The app itself: what it is, what it found on this machine, its settings. */
import { z } from 'zod'
import { targetSchema } from '../../core/sweep/target.ts'
import { call, stream } from '../wire/define.ts'

const appInfoSchema = z.object({
  version: z.string(),
  host: z.enum(['electron', 'web']),
  dataDir: z.string(),
  /** Base address and whether the HTTP API of the runner is up; the token stays in main. */
  runnerUrl: z.string().nullable(),
  homeDir: z.string(),
  shell: z.string(),
  platform: z.string(),
})
export type AppInfo = z.infer<typeof appInfoSchema>

/** One line of "what we found where". */
const foundSchema = z.object({
  kind: z.enum(['model-server', 'agent-cli', 'key', 'engine']),
  name: z.string(),
  found: z.boolean(),
  /** Address, path or name of the variable; for what was not found, where we looked. */
  where: z.string(),
  /** One fact: version, models, "not running". */
  fact: z.string(),
  /** What a sweep could be run against, best first; empty for all but model servers and engines. */
  targets: z.array(z.object({ label: z.string(), target: targetSchema })),
})
export type Found = z.infer<typeof foundSchema>

const settingsShape = {
  /** Turns in flight at once in the runner; the rest waits in a visible queue. */
  runnerLimit: z.int().min(1).max(4096),
  theme: z.enum(['system', 'light', 'dark']),
  terminalFontSize: z.int().min(8).max(32),
  webgl: z.enum(['off', 'auto', 'on']),
  backgroundTitle: z.boolean(),
  backgroundMemory: z.boolean(),
}
export const settingsSchema = z.object({
  runnerLimit: settingsShape.runnerLimit.default(4),
  theme: settingsShape.theme.default('system'),
  terminalFontSize: settingsShape.terminalFontSize.default(13),
  webgl: settingsShape.webgl.default('auto'),
  backgroundTitle: settingsShape.backgroundTitle.default(true),
  backgroundMemory: settingsShape.backgroundMemory.default(true),
})
/** Made of the shape without defaults: zod would fill them in, and saving one setting would reset the others. */
const settingsChangeSchema = z.object(settingsShape).partial()
export type Settings = z.infer<typeof settingsSchema>

/** As variables of the environment are named. */
const keyNameSchema = z.string().regex(/^[A-Z_][A-Z0-9_]{0,79}$/)

export const app = {
  info: call({ input: z.object({}), output: appInfoSchema }),
  /** Looks afresh; takes up to 2 s. */
  discover: call({ input: z.object({}), output: z.array(foundSchema) }),
  settings: stream({ input: z.object({}), output: settingsSchema, delivery: 'latest' }),
  saveSettings: call({ input: settingsChangeSchema, output: settingsSchema }),
  /** Names of the keys that the keychain keeps, never a key; `canSave`: this host has a keychain. */
  keys: call({ input: z.object({}), output: z.object({ canSave: z.boolean(), names: z.array(z.string()) }) }),
  saveKey: call({ input: z.object({ name: keyNameSchema, key: z.string().min(1).max(4096) }), output: z.object({}) }),
  removeKey: call({ input: z.object({ name: keyNameSchema }), output: z.object({}) }),
  /** Small pieces of page state (open tabs, pane layout) under a key, as JSON text; null = never saved. */
  loadLayout: call({ input: z.object({ key: z.string().max(64) }), output: z.object({ json: z.string().nullable() }) }),
  saveLayout: call({ input: z.object({ key: z.string().max(64), json: z.string().max(200_000) }), output: z.object({}) }),
}
