/** Paths that README, ARCHITECTURE and docs name must exist: a page that lies about where things are is worse than none. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const pages = ['README.md', 'ARCHITECTURE.md', ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))]

test.each(pages)('%s names no path that is not there', (page) => {
  expect(namedPaths(readFileSync(join(root, page), 'utf8'), page).filter((path) => !isThere(path))).toEqual([])
})

test('the layout in ARCHITECTURE.md is the layout on disk', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  expect(services(text)).toEqual(readdirSync(join(root, 'src/main/services')).sort())
  for (const folder of readdirSync(join(root, 'src/core'))) expect(/^src\/core\/.*$/m.exec(text)?.[0]).toContain(folder)
  for (const child of ['load-driver', 'model-host', 'pty-host']) expect(existsSync(join(root, 'src/main', child))).toBe(true)
})

/** The services that the layout lists, sorted. */
function services(text: string): string[] {
  const list = /services\/\s+one folder a capability: ([^;]+);/.exec(text)?.[1] ?? ''
  return list.split(' · ').sort()
}

/** Targets of links, and what stands in code marks or in a fenced block and looks like a path of this repository. */
function namedPaths(text: string, page: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => join(dirname(page), target ?? ''))
  const prose = text.replace(/```[\s\S]*?```/g, (block) => block.replace(/`/g, ' '))
  const named = [...prose.matchAll(/(?<![\w./-])((?:src|core|contract|main|renderer|services|hosts|e2e|test|docs|scripts)\/[\w.*/-]+)/g)]
  return [...links, ...named.map(([, path]) => (path ?? '').replace(/[./]+$/, ''))]
}

/** Pages leave `src/` or `src/main/` out where it is plain; `NAME` stands for any name, `*` for any part of one. */
function isThere(path: string): boolean {
  return ['', 'src', 'src/main'].some((from) => {
    const dir = join(root, from, dirname(path))
    const wanted = new RegExp(
      `^${basename(path)
        .replace(/\./g, '\\.')
        .replace(/\*|NAME/g, '.*')}$`,
    )
    return existsSync(dir) && readdirSync(dir).some((name) => wanted.test(name))
  })
}
