import { existsSync } from 'node:fs';
import { CHROMIUM_PATH } from './launch-chromium.js';

const installed = existsSync(CHROMIUM_PATH);
if (!installed && process.env['CI'] !== 'true') {
  console.warn(
    `SKIPPED: all tests of the console, because ${CHROMIUM_PATH} is missing (apt-get install chromium-headless-shell).`,
  );
}

/** `describe` for suites in Chromium. Without it they are skipped with a warning; under `CI=true` they run and fail. */
export const describeInChromium = installed || process.env['CI'] === 'true' ? describe : describe.skip;
