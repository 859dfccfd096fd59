import { writeSync } from 'node:fs';

/** Closes the run with one plain line for scripts: `N passed, N failed`. A file that did not even load counts as failed. */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        if (state === 'failed') failed++;
      }
    }
    // At the very end: vitest prints a summary of its own, and the global teardown follows.
    process.once('exit', () => writeSync(1, `${passed} passed, ${failed} failed\n`));
  }
}
