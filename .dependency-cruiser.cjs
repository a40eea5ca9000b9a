/** Who may import whom (docs: ARCHITECTURE.md). `npm run check` fails on any violation, and when too few modules were seen. */
const TESTS = '\\.test\\.tsx?$'
const not = (...paths) => ({ pathNot: [TESTS, ...paths] })

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    {
      name: 'core-is-pure',
      comment: 'core knows core and zod.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: TESTS },
      to: { pathNot: ['^src/core/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'contract-knows-core',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: TESTS },
      to: { pathNot: ['^src/core/', '^src/contract/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'platform-knows-core',
      severity: 'error',
      from: { path: '^src/main/platform/', pathNot: TESTS },
      to: { path: '^src/', pathNot: ['^src/core/', '^src/main/platform/'] },
    },
    {
      name: 'services-are-strangers',
      comment: 'Two services never import each other, nor the contract; compose.ts joins them.',
      severity: 'error',
      from: { path: '^src/main/services/([^/]+)/', pathNot: TESTS },
      to: {
        path: '^src/',
        pathNot: ['^src/core/', '^src/main/platform/', '^src/main/services/$1/', '^src/main/(load-driver|model-host|pty-host)/messages\\.ts$'],
      },
    },
    {
      name: 'children-stand-alone',
      comment: 'A child process knows core, platform and itself.',
      severity: 'error',
      from: { path: '^src/main/(load-driver|model-host|pty-host)/', pathNot: TESTS },
      to: { path: '^src/', pathNot: ['^src/core/', '^src/main/platform/', '^src/main/$1/'] },
    },
    {
      name: 'api-knows-contract-and-core',
      severity: 'error',
      from: { path: '^src/main/api/', pathNot: TESTS },
      to: { path: '^src/main/hosts/' },
    },
    {
      name: 'compose-knows-no-host',
      severity: 'error',
      from: { path: '^src/main/compose\\.ts$' },
      to: { path: ['^src/main/hosts/', '^src/main/api/', '^src/contract/'] },
    },
    {
      name: 'electron-in-one-place',
      severity: 'error',
      from: { path: '^src/', ...not('^src/main/hosts/electron/', '^src/preload/') },
      to: { path: ['^electron$', '(^|/)node_modules/electron/', '^src/main/hosts/electron/'] },
    },
    {
      name: 'ws-in-one-place',
      severity: 'error',
      from: { path: '^src/', ...not('^src/main/hosts/web/') },
      to: { path: '(^|/)node_modules/ws/' },
    },
    {
      name: 'main-is-not-the-page',
      severity: 'error',
      from: { path: '^src/(main|preload)/', pathNot: TESTS },
      to: { path: '^src/renderer/' },
    },
    {
      name: 'page-knows-contract-and-core',
      severity: 'error',
      from: { path: '^src/renderer/', pathNot: TESTS },
      to: { path: '^src/', pathNot: ['^src/renderer/', '^src/core/', '^src/contract/'] },
    },
    {
      name: 'page-has-no-node',
      severity: 'error',
      from: { path: '^src/renderer/', pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'features-are-strangers',
      severity: 'error',
      from: { path: '^src/renderer/features/([^/]+)/', pathNot: TESTS },
      to: { path: '^src/renderer/features/', pathNot: '^src/renderer/features/$1/' },
    },
    {
      name: 'ui-has-no-product',
      severity: 'error',
      from: { path: '^src/renderer/ui/', pathNot: TESTS },
      to: { path: '^src/renderer/(stores|features|connection)/' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: [TESTS, '\\.d\\.ts$', '/index\\.ts$', '^src/renderer/main\\.tsx$', '^src/core/result/'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The cruiser reads with TypeScript 6: version 7, which checks the types, has no API that it knows. It would see nothing and say so nowhere.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'require', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
}
