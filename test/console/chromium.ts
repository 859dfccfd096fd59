import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * Debian's: its headless shell, which has no windows and takes a quarter of the processor time, or else the whole browser,
 * which draws a window with an address bar for every context.
 */
const SHELL = '/usr/bin/chromium-headless-shell';
const executablePath = process.env['CHROMIUM_PATH'] ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const installed = existsSync(executablePath);
if (!installed && process.env['CI'] !== 'true') {
  console.warn(
    `SKIPPED: all tests of the console, because ${executablePath} is missing (apt-get install chromium-headless-shell).`,
  );
}

/** `describe` for suites in Chromium. Without it they are skipped with a warning; under `CI=true` they run and fail. */
export const describeInChromium = installed || process.env['CI'] === 'true' ? describe : describe.skip;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}
