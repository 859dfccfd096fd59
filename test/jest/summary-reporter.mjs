import { writeSync } from 'node:fs';
import { collectStrayErrors, takeStrayErrors } from './stray-errors.mjs';

/**
 * Ends the run with one plain line for scripts: `N passed, N failed`. A file that did not load counts as failed, and so
 * does an error that occurred while no test file ran, which jest's own result does not include.
 */
export default class SummaryReporter {
  #failure;

  constructor() {
    collectStrayErrors();
  }

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const strays = takeStrayErrors();
    if (strays.length > 0) this.#failure = new Error(strays.join('\n'));
    for (const stray of strays) writeSync(2, `\n${stray}`);
    const failed = numFailedTests + numRuntimeErrorTestSuites + strays.length;
    // Last: jest prints its own summary, and the global teardown follows.
    process.once('exit', () => writeSync(1, `${numPassedTests} passed, ${failed} failed\n`));
  }

  /** Jest asks each reporter after the run; an error fails it. */
  getLastError() {
    return this.#failure;
  }
}
