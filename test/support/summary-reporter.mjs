import { writeSync } from 'node:fs';

/** Closes the run with one plain line for scripts: `N passed, N failed`. A file that did not even load counts as failed. */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    // At the very end: jest appends a summary of its own to the reporters, and the global teardown follows.
    process.once('exit', () => writeSync(1, `${results.numPassedTests} passed, ${failed} failed\n`));
  }
}
