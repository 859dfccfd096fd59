import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

/** Each looks at something that a process has once: the loggers, the metrics, the names of prepared statements, a pool. */
const ALONE = [
  'src/platform/http-log.spec.ts',
  'src/platform/database/preparing-client.spec.ts',
  'src/platform/queue/postgres-backend.spec.ts',
  'test/http/service.e2e-spec.ts',
];

const project = (name, test) => ({ extends: true, test: { name, ...test } });

export default defineConfig({
  // As the build does it: decorators with their types.
  plugins: [swc.vite({ module: { type: 'es6' } })],
  test: {
    globals: true,
    pool: 'forks',
    // More than there are cores: much of the suite waits for blocks, leases and clocks.
    maxWorkers: 3,
    // No limit of speed: tests wait for conditions, and a loaded machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: 'test/support/global-setup.mjs',
    setupFiles: 'test/support/test-environment.mjs',
    reporters: ['default', './test/support/summary-reporter.mjs'],
    projects: [
      // Files share the processes they run in, or each would load all of the service again.
      project('shared', {
        include: ['{src,test}/**/*.spec.ts', 'test/**/*.e2e-spec.ts'],
        exclude: ALONE,
        isolate: false,
      }),
      project('alone', { include: ALONE, isolate: true }),
    ],
  },
});
