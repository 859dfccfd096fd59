import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { eventuallyPasses } from '../support/eventually.js';

const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The rules of those levels that a colour can break. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Expects no violation of WCAG 2.2 A and AA anywhere on the page. */
export const expectAccessible = (page: Page): Promise<void> => expectNoViolation(checks(page).withTags(LEVELS));

/** Expects the same of what depends on colours alone. */
export const expectReadableColours = (page: Page): Promise<void> =>
  expectNoViolation(checks(page).withRules(OF_COLOURS));

/** Expects both of a page that is shown in light, which it is again afterwards. */
export async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await expectAccessible(page);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    if (colorScheme === 'dark') await expectReadableColours(page);
  }
}

/**
 * The pages have no frames: without the mode for frames, axe opens no second page for each analysis. Where nothing is wrong,
 * it need not name every element.
 */
const checks = (page: Page): AxeBuilder =>
  new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });

async function expectNoViolation(builder: AxeBuilder): Promise<void> {
  const { violations } = await builder.analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
  );
  expect(found).toEqual([]);
}

/** A window as wide as the narrowest phones, and one of 1280 by 800 at 200 % zoom. */
const NARROW = [
  { width: 320, height: 640, deviceScaleFactor: 1 },
  { width: 640, height: 400, deviceScaleFactor: 2 },
];

/** Expects that nothing lies beyond the right edge of the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate<number>(BEYOND)).toBe(0);
}

/** Expects the same at 320 px and at 200 % zoom, without loading the page again. */
export async function expectNoSidewaysScrollWhenNarrow(page: Page): Promise<void> {
  // The size holds until the session ends.
  const session = await page.context().newCDPSession(page);
  for (const size of NARROW) {
    await session.send('Emulation.setDeviceMetricsOverride', { ...size, mobile: false });
    await page.waitForFunction(hasSize(size));
    await page.evaluate(TWO_FRAMES);
    // What a script lays out anew after a resize may come later than its two frames.
    await eventuallyPasses(() => expectNoSidewaysScroll(page));
  }
  await session.detach();
}

const hasSize = ({ width, deviceScaleFactor }: { width: number; deviceScaleFactor: number }): string =>
  `innerWidth === ${width} && devicePixelRatio === ${deviceScaleFactor}`;

const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
const BEYOND = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Presses Tab until the focus is there, as somebody without a mouse does. @throws Error when it does not get there */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`No Tab has reached ${selector}.`);
}
