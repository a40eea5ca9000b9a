/** Makes a program of one source file, so that a test can run our code in a process of its own and kill it. Plain Node knows no TypeScript. */
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')

/**
 * @param source from the repository's root: `test/children/x.ts`
 * @returns path of a file that `node` runs; packages are found as usual
 */
export async function bundleChild(source: string): Promise<string> {
  const name = source.replaceAll('/', '-').replace(/\.ts$/, '')
  const outDir = join(root, 'out', 'test')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(root, source),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: { output: { format: 'es', entryFileNames: `${name}.mjs`, chunkFileNames: `${name}-[hash].mjs` } },
    },
  })
  return join(outDir, `${name}.mjs`)
}
