/** Each looks at something that a process has once: the loggers, the metrics, the names of prepared statements, a pool. */
const ALONE = [
  'src/platform/http-log.spec.ts',
  'src/platform/database/preparing-client.spec.ts',
  'src/platform/database/shared-connections.spec.ts',
  'src/platform/queue/postgres-backend.spec.ts',
  'test/http/service.e2e-spec.ts',
].map((path) => `<rootDir>/${path}`);

/** What all projects have in common. Node loads the sources by itself (test/jest/typescript.mjs): jest transforms none. */
export const COMMON = {
  testEnvironment: 'node',
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/node_modules/.cache/'],
};

export default {
  projects: [
    {
      ...COMMON,
      displayName: 'shared',
      testMatch: ['<rootDir>/{src,test}/**/*.spec.ts', '<rootDir>/test/**/*.e2e-spec.ts'],
      testPathIgnorePatterns: ALONE,
      testRunner: '<rootDir>/test/jest/shared-process.mjs',
    },
    { ...COMMON, displayName: 'alone', testMatch: ALONE, testRunner: '<rootDir>/test/jest/own-process.mjs' },
  ],
  globalSetup: './test/support/global-setup.mjs',
  globalTeardown: './test/support/global-teardown.mjs',
  testSequencer: './test/jest/longest-first.mjs',
  // More than there are cores: much of the suite waits for blocks, leases and clocks.
  maxWorkers: 4,
  // Not a limit of speed: tests wait for conditions, and a slow or loaded machine is no failure.
  testTimeout: 180_000,
  reporters: ['default', './test/jest/summary-reporter.mjs'],
};
