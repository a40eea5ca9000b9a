/** One build for every process: main and its children, preload, page. */
import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

const here = import.meta.dirname
const main = (path: string) => resolve(here, 'src/main', path)

export default defineConfig({
  main: {
    build: {
      // Electron's Node and the plain Node of the web host run the same files, so the older one decides.
      target: 'node20',
      // Optional, so it is not among the dependencies that stay outside by themselves.
      externalizeDeps: { include: ['node-llama-cpp'] },
      rollupOptions: {
        input: {
          index: main('hosts/electron/index.ts'),
          plimsoll: main('hosts/cli/index.ts'),
          'load-driver': main('load-driver/index.ts'),
          'model-host': main('model-host/index.ts'),
          'pty-host': main('pty-host/index.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      target: 'node20',
      // A sandboxed preload can require nothing but electron.
      externalizeDeps: false,
      rollupOptions: {
        input: { index: resolve(here, 'src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: resolve(here, 'src/renderer'),
    plugins: [react()],
    build: {
      minify: true,
      // Files of our own origin only: the content policy allows no data: addresses.
      assetsInlineLimit: 0,
      rollupOptions: {
        input: { index: resolve(here, 'src/renderer/index.html') },
        // zod must be told not to make code from text before any other chunk builds a schema (src/renderer/no-eval.ts).
        output: { codeSplitting: { groups: [{ name: 'zod', test: /node_modules[\\/]zod[\\/]|[\\/]no-eval\.ts$/ }] } },
      },
    },
  },
})
