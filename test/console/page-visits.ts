import type { Page } from 'playwright-core';
import { type ConsolePage, PAGES } from '../../admin-ui/src/app/route-table.js';
import { expectAccessible, expectNoSidewaysScrollWhenNarrow } from './page-checks.js';

const NO_ID = 'none_01jqzk8v6m3n5p7r9t1w2x4y6z';

/** The address of a page, where nothing is: ids that no row has. */
export function addressOf({ path }: ConsolePage): string {
  const search = path.endsWith('/search') ? `?q=${NO_ID}` : '';
  return `/admin${path.replace('$environment', 'sandbox').replaceAll(/\$\w+/g, NO_ID)}${search}`;
}

/** Waits until the page has its heading and nothing is being loaded. */
export async function shown(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
}

/** Opens a page where nothing is: no violation of WCAG 2.2 A and AA, and no sideways scroll at 320 px or 200 % zoom. */
export async function expectSound(tab: Page, page: ConsolePage): Promise<void> {
  await shown(tab, addressOf(page));
  await expectAccessible(tab);
  await expectNoSidewaysScrollWhenNarrow(tab);
}

const rowsOf = (pages: readonly ConsolePage[]) => pages.map((page) => [page.path, page] as const);

/** Every page of the route table, by its path: the rows of a table test. */
export const EVERY_PAGE = rowsOf(Object.values<ConsolePage>(PAGES));

/** One page of each kind: without a session, a list, a record, a form, figures. */
export const A_PAGE_OF_EACH_KIND = rowsOf([PAGES.signIn, PAGES.intents, PAGES.intent, PAGES.account, PAGES.charts]);
