import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startWorld, type World, type WorldOptions } from '../support/world.js';
import { launchChromium } from './launch-chromium.js';
import type { ConsoleClient } from './console-client.js';
import { watchContext } from './page-problems.js';

const BUILD = fileURLToPath(new URL('../../scripts/build-admin.mjs', import.meta.url));

export interface FlowOptions extends BrowserContextOptions {
  /** Whose session the browser has from the start. Without it nobody is signed in. */
  readonly as?: ConsoleClient;
  /** Errors of the browser's console that the flow provokes. */
  readonly expected?: RegExp;
}

/** One Chromium on the console of a service. */
export interface ConsoleBrowser {
  /**
   * Runs a flow in a browser context of its own, and fails when the page breaks its security policy, asks another host for
   * something, or writes an error to its console.
   */
  flow(run: (page: Page) => Promise<void>, options?: FlowOptions): Promise<void>;
  /** Opens a page in a context of its own for several tests. Closing it fails as a flow does. */
  open(options?: FlowOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

/** A page, and what ends it. */
export interface OpenPage {
  readonly page: Page;
  /** @throws Error when the page did what no page may do */
  close(): Promise<void>;
}

/** A whole service, with chains, and Chromium on its console. */
export interface ConsoleWorld extends World, Pick<ConsoleBrowser, 'flow'> {}

const VIEWPORT = { width: 1280, height: 800 };
/** Long enough for a loaded machine; flows wait for conditions. */
const TIMEOUT_MS = 30_000;

/** Opens Chromium on the console of a running service. */
export async function openBrowser({ url }: { readonly url: string }): Promise<ConsoleBrowser> {
  const browser = await launchChromium();
  return {
    flow: (run, options) => runFlow(browser, url, run, options),
    open: async (options) => {
      const { context, problems } = await openContext(browser, url, options);
      const page = await context.newPage();
      return {
        page,
        close: async () => {
          await context.close();
          expect(problems()).toEqual([]);
        },
      };
    },
    close: () => browser.close(),
  };
}

/** Starts a whole service with its console, and Chromium. `startConsole` of console-service.ts has no chain and is faster. */
export async function startConsole(options: WorldOptions = {}): Promise<ConsoleWorld> {
  buildPages();
  const world = await startWorld(options);
  const browser = await openBrowser(world);
  return {
    ...world,
    flow: (run, flowOptions) => browser.flow(run, flowOptions),
    stop: async () => {
      await browser.close();
      await world.stop();
    },
  };
}

let isBuilt = false;

/** Builds the console, once in a process, when its sources have changed. A service lists the files when it starts: build before. */
export function buildPages(): void {
  if (isBuilt) return;
  const { status, stderr } = spawnSync(process.execPath, [BUILD], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The console could not be built: ${stderr}`);
  isBuilt = true;
}

async function openContext(browser: Browser, url: string, { as, expected, ...options }: FlowOptions = {}) {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  const problems = await watchContext(context, url, expected);
  const [name = '', value = ''] = as?.cookie.split('=') ?? [];
  if (value !== '') await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  return { context, problems };
}

async function runFlow(
  browser: Browser,
  url: string,
  run: (page: Page) => Promise<void>,
  options?: FlowOptions,
): Promise<void> {
  const { context, problems } = await openContext(browser, url, options);
  try {
    await run(await context.newPage());
  } catch (error) {
    if (problems().length === 0) throw error;
    // What the page did wrong is usually why the flow failed.
    throw new Error(`The flow failed. Problems of its pages: ${JSON.stringify(problems())}`, { cause: error });
  } finally {
    await context.close();
  }
  expect(problems()).toEqual([]);
}
