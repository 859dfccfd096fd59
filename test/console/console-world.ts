import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startWorld, type World, type WorldOptions } from '../support/world.js';
import { launchChromium } from './chromium.js';
import { watchContext } from './page-problems.js';

const BUILD = fileURLToPath(new URL('../../scripts/build-admin.mjs', import.meta.url));

/** The service with its console, and one Chromium. */
export interface ConsoleWorld extends World {
  /**
   * Runs a flow in a browser context of its own, and fails when the page breaks its security policy, asks another host for
   * something, or writes an error to its console.
   */
  flow(run: (page: Page) => Promise<void>, options?: FlowOptions): Promise<void>;
}

export interface FlowOptions extends BrowserContextOptions {
  /** Errors of the browser's console that the flow provokes. */
  readonly expected?: RegExp;
}

const VIEWPORT = { width: 1280, height: 800 };
/** Long enough for a loaded machine; flows wait for conditions. */
const TIMEOUT_MS = 30_000;

/** Builds the console when its sources have changed, starts the service, and Chromium. */
export async function startConsole(options: WorldOptions = {}): Promise<ConsoleWorld> {
  buildPages();
  const [world, browser] = await Promise.all([startWorld(options), launchChromium()]);
  return {
    ...world,
    flow: (run, flowOptions) => runFlow(browser, world.url, run, flowOptions),
    stop: async () => {
      await browser.close();
      await world.stop();
    },
  };
}

function buildPages(): void {
  const { status, stderr } = spawnSync(process.execPath, [BUILD], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The console could not be built: ${stderr}`);
}

async function runFlow(
  browser: Browser,
  url: string,
  run: (page: Page) => Promise<void>,
  { expected, ...options }: FlowOptions = {},
): Promise<void> {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  const problems = await watchContext(context, url, expected);
  try {
    await run(await context.newPage());
  } catch (error) {
    // What the page did wrong is usually why the flow failed.
    throw new Error(`The flow failed. Problems of its pages: ${JSON.stringify(problems())}`, { cause: error });
  } finally {
    await context.close();
  }
  expect(problems()).toEqual([]);
}
