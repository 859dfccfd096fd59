import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Expects no violation of WCAG 2.2 A and AA anywhere on the page. */
export const expectAccessible = (page: Page): Promise<void> => expectNoViolation(page, (axe) => axe.withTags(LEVELS));

/** Expects that all text can be read. That alone depends on the scheme of colours. */
export const expectContrast = (page: Page): Promise<void> =>
  expectNoViolation(page, (axe) => axe.withRules(['color-contrast']));

async function expectNoViolation(page: Page, rules: (axe: AxeBuilder) => AxeBuilder): Promise<void> {
  // No page of the console has a frame; for frames, axe would open a page of its own each time.
  const { violations } = await rules(new AxeBuilder({ page })).setLegacyMode().analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
  );
  expect(found).toEqual([]);
}

/** Expects that nothing lies beyond the right edge of the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beyond = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(beyond).toBe(0);
}

/** Presses Tab until the focus is there, as somebody without a mouse does. @throws Error when it does not get there */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`No Tab has reached ${selector}.`);
}
