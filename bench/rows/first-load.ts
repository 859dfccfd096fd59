import type { Browser, BrowserContext } from 'playwright-core';
import { launchChromium } from '../../test/console/launch-chromium.ts';
import { ConsoleSession } from '../console-session.ts';
import { loadDeliveries } from '../deliveries-table.ts';
import { median } from '../duel.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const LIMIT_MS = 1_000;
const SLOWER = 4;
const PATH = '/admin/sandbox/dead-letters';
const DELIVERIES = 2_000;
const DEAD_PER_THOUSAND = 100;
/** A page is interactive once no task of 50 ms or more follows for so long. */
const QUIET_MS = 2_000;

/** The times of a load in milliseconds since the navigation began. */
interface Load {
  readonly renderedMs: number;
  readonly interactiveMs: number;
  /** What came over the network, with headers. */
  readonly bytes: number;
}

/**
 * Measures the first load of the landing page in Chromium, with an empty cache and the processor four times slower: until the
 * page shows its data, and until it is interactive, which is the end of the last long task.
 */
export async function measureFirstLoad(stage: Stage, { loads }: { readonly loads: number }): Promise<Figure> {
  await loadDeliveries(stage, DELIVERIES, DEAD_PER_THOUSAND);
  const session = await ConsoleSession.open(stage.service);
  const browser = await launchChromium();
  try {
    const times: Load[] = [];
    // The first load warms up the service and the browser.
    for (let n = 0; n <= loads; n += 1) times.push(await firstLoad(browser, stage.service.url, session));
    const counted = times.slice(1);
    const interactiveMs = median(counted.map((load) => load.interactiveMs));
    const renderedMs = median(counted.map((load) => load.renderedMs));
    return {
      name: `console: first load of the landing page, processor ${SLOWER} times slower`,
      measured:
        `interactive after ${interactiveMs.toFixed(0)} ms, its data shown after ${renderedMs.toFixed(0)} ms ` +
        `(${((counted[0]?.bytes ?? 0) / 1024).toFixed(0)} KB)`,
      limit: `interactive < ${LIMIT_MS} ms`,
      isMet: interactiveMs < LIMIT_MS,
    };
  } finally {
    await browser.close();
    await session.close();
  }
}

async function firstLoad(browser: Browser, url: string, { cookie }: ConsoleSession): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const [name = '', value = ''] = cookie.split('=', 2);
    await context.addCookies([{ name, value, url }]);
    return await loadIn(context, url + PATH);
  } finally {
    await context.close();
  }
}

async function loadIn(context: BrowserContext, url: string): Promise<Load> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  let bytes = 0;
  await devtools.send('Network.enable');
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.addInitScript(OBSERVE);
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(ROW).first().waitFor();
  const lastTaskMs = Number(await page.evaluate(LAST_TASK));
  const renderedMs = Number(await page.evaluate('window.shownAt'));
  return { renderedMs, interactiveMs: Math.max(renderedMs, lastTaskMs), bytes };
}

/** A row of the table. Skeletons of rows have no labels. */
const ROW = 'main td[data-label]';

/** Keeps the frame that shows the first row, and when the last task of 50 ms or more has ended. */
const OBSERVE = `
  window.longTaskEnd = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.longTaskEnd = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (document.querySelector('${ROW}') === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => (window.shownAt = performance.now()));
  };
  look()`;

/** Waits until no long task has ended for so long, and returns when the last one ended. */
const LAST_TASK = `new Promise((resolve) => {
  const look = () => {
    const leftMs = window.longTaskEnd + ${QUIET_MS} - performance.now();
    if (leftMs <= 0) resolve(window.longTaskEnd);
    else setTimeout(look, leftMs);
  };
  look();
})`;
