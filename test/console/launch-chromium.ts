import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const SHELL = '/usr/bin/chromium-headless-shell';

/**
 * Debian's, unless CHROMIUM_PATH names another one: its headless shell, which has no windows and takes a quarter of the
 * processor time, or else the whole browser, which draws a window with an address bar for every context.
 */
export const CHROMIUM_PATH = process.env['CHROMIUM_PATH'] ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM_PATH, args: FLAGS });
}
