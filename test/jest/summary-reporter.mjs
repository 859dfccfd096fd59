import { writeSync } from 'node:fs';

/** Closes the run with one plain line for scripts: `N passed, N failed`. A file that did not even load counts as failed. */
export default class SummaryReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    // At the very end: jest prints a summary of its own, and the global teardown follows.
    process.once('exit', () => writeSync(1, `${numPassedTests} passed, ${failed} failed\n`));
  }
}
