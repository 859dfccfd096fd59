import type { Page } from 'playwright-core';

/** The streams of changes that the tabs of a flow open from now on. */
export function streamsOf(page: Page): readonly string[] {
  const opened: string[] = [];
  page.context().on('request', (request) => {
    if (request.url().endsWith('/admin/api/stream')) opened.push(request.url());
  });
  return opened;
}

/** Waits until changes are reported to a page, or until it asks by itself. */
export const updated = (page: Page, how: 'reported' | 'polled'): Promise<void> =>
  page.locator(`[data-updates=${how}]`).waitFor({ state: 'attached' });
