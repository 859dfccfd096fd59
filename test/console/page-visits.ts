import type { Page } from 'playwright-core';
import { type ConsolePage, PAGES } from '../../admin-ui/src/app/route-table.js';

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

/** Every page of the route table, by its path: the rows of a table test. */
export const EVERY_PAGE = Object.values<ConsolePage>(PAGES).map((page) => [page.path, page] as const);
