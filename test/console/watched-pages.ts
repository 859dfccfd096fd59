import type { Page } from 'playwright-core';
import { expectAccessible, expectNoSidewaysScrollWhenNarrow, expectReadableColours } from './page-checks.js';

/** The pages that watch the service, each with a text of its rows in `watchedScene`. */
export const WATCHED_PAGES = [
  ['networks', 'https://second.example'],
  ['treasury', '25 USDC are missing on polygon'],
  ['books', '1 row breaks this rule. More rows that are not named break it'],
  ['wallet-pool', '56 days'],
  ['prices', '0.98 USD'],
  ['sanctions', 'Published more than 30 days ago'],
  ['charts', 'Settled volume'],
] as const;

/** Opens a page and waits for a text of it. */
export async function opened(page: Page, path: string, text: string): Promise<void> {
  await page.goto(`/admin/sandbox/${path}`);
  await page.getByText(text).first().waitFor();
}

/** Expects no violation of WCAG 2.2 A and AA on a page with rows, which is shown in light first, and that it fits 320 px. */
export async function expectSoundWithRows(page: Page, path: string, text: string): Promise<void> {
  await opened(page, path, text);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await expectReadableColours(page);
  await expectNoSidewaysScrollWhenNarrow(page);
}
