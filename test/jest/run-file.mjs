import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jestExpect } from '@jest/expect';
import { createEmptyTestResult } from '@jest/test-result';
import * as circus from 'jest-circus';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import { shareEntityMetadata } from './shared-metadata.mjs';
import { keepStrayError } from './stray-errors.mjs';
import { loadTypeScript } from './typescript.mjs';

// For the processes that tests start; it is too late for this one, which loads everything once.
process.env.NODE_COMPILE_CACHE = join(tmpdir(), 'compiled');
loadTypeScript();
shareEntityMetadata();

const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
Object.assign(globalThis, { describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect: jestExpect });

let runningFile = null;
let lastFile = null;

// An error that no test awaits fails the running test, or the file, or the run. Jest's own listener is removed: it ends the
// worker, so that the file runs again, and an error after its file is lost.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.removeAllListeners(event);
  process.on(event, (error) => {
    if (runningFile === null) return keepStrayError(error, lastFile);
    const { currentlyRunningTest, unhandledErrors } = circus.getState();
    (currentlyRunningTest?.errors ?? unhandledErrors).push(error);
  });
}

/**
 * Runs a test file in this process with jest's own functions (jest-circus, expect), and returns the result for its reporters.
 * Node loads the modules, so files that run in one process share them.
 */
export async function runFile({ globalConfig, config, path }) {
  // Jest has installed its own reader of source maps, which does not cover the files that Node loads.
  delete Error.prepareStackTrace;
  circus.resetState();
  const state = circus.getState();
  state.testTimeout = config.testTimeout ?? globalConfig.testTimeout ?? 5_000;
  state.maxConcurrency = globalConfig.maxConcurrency;
  if (globalConfig.testNamePattern) state.testNamePattern = new RegExp(globalConfig.testNamePattern, 'i');
  circus.addEventHandler(noteTest);
  jestExpect.setState({ testPath: path, expand: globalConfig.expand });
  runningFile = path;
  try {
    await import(pathToFileURL(path).href);
    return resultOf(await circus.run(), { globalConfig, config, path });
  } finally {
    circus.removeEventHandler(noteTest);
    lastFile = runningFile;
    runningFile = null;
  }
}

/** Sets the running test for `expect`: its messages name the test, and missing assertions fail it. */
function noteTest({ name, test: running }) {
  if (name === 'test_start') jestExpect.setState({ currentTestName: titlesOf(running).join(' ') });
  if (name === 'test_done')
    running.errors.push(...jestExpect.extractExpectedAssertionsErrors().map(({ error }) => error));
}

const titlesOf = ({ name, parent }) => (parent === undefined ? [] : [...titlesOf(parent), name]);

function resultOf({ testResults, unhandledErrors, unhandledErrorsDetailed }, { globalConfig, config, path }) {
  const results = testResults.map(assertionOf);
  const count = (status) => results.filter((result) => result.status === status).length;
  const outside = unhandledErrorsDetailed.map((error) => formatExecError(error, config, globalConfig, path));
  const messages = [formatResultsErrors(results, config, globalConfig, path) ?? '', ...outside].filter(Boolean);
  return {
    ...createEmptyTestResult(),
    displayName: config.displayName,
    failureMessage: messages.length === 0 ? null : messages.join('\n\n'),
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    testExecError: unhandledErrors.length === 0 ? undefined : { message: '', stack: unhandledErrors.join('\n') },
    testFilePath: path,
    testResults: results,
  };
}

/** One test in the form of jest's reporters. */
function assertionOf({ testPath: [, ...titles], status, errors, errorsDetailed, ...rest }) {
  const title = titles.at(-1) ?? '';
  return {
    ...rest,
    ancestorTitles: titles.slice(0, -1),
    failureDetails: errorsDetailed,
    failureMessages: errors,
    fullName: titles.join(' '),
    status: status === 'skip' ? 'pending' : status === 'done' ? (errors.length > 0 ? 'failed' : 'passed') : status,
    title,
  };
}
