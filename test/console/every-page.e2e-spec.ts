import type { Page } from 'playwright-core';
import { type ConsolePage, PAGES } from '../../admin-ui/src/app/route-table.js';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { merchantFlows } from './merchant-flows.js';
import { expectAccessible, expectNoSidewaysScrollWhenNarrow, expectReadableColours } from './page-checks.js';

const NO_ID = 'none_01jqzk8v6m3n5p7r9t1w2x4y6z';

/** The address of a page, where nothing is: ids that no row has. */
function addressOf({ path }: ConsolePage): string {
  const search = path.endsWith('/search') ? `?q=${NO_ID}` : '';
  return `/admin${path.replace('$environment', 'sandbox').replaceAll(/\$\w+/g, NO_ID)}${search}`;
}

/** Waits until the page has its heading and nothing is being loaded. */
async function shown(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
}

/** In both colour schemes. The scheme changes colours and nothing else, so the second one is checked for colours. */
async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await expectReadableColours(page);
}

let site: LightConsole;
let member: ConsoleClient;
const asFor = ({ access }: ConsolePage) => (access === 'public' ? {} : { as: member });

describeInChromium('every page of the console', () => {
  beforeAll(async () => {
    site = await startLightConsole();
    member = await signedIn(site, await addMember(site, 'all@example.com', { sandbox: 'admin' }));
  });
  afterAll(() => site.stop());

  const pages = Object.values<ConsolePage>(PAGES).map((page) => [page.path, page] as const);

  describe.each(pages)('%s', (_path, page) => {
    it('has no violation of WCAG 2.2 A and AA in light and dark, and does not scroll sideways at 320 px or 200 % zoom', () =>
      site.flow(
        async (tab) => {
          await shown(tab, addressOf(page));
          await expectAccessibleInBothSchemes(tab);
          await expectNoSidewaysScrollWhenNarrow(tab);
        },
        { ...asFor(page), colorScheme: 'light' },
      ));

    it('has no violation when the service fails, in light and dark', () =>
      site.flow(
        async (tab) => {
          await tab.route('**/admin/api/sandbox/**', (route) => route.fulfill(FAILURE));
          await shown(tab, addressOf(page));
          if (page.path.includes('$environment')) await tab.getByText('req_01failed').first().waitFor();
          await expectAccessibleInBothSchemes(tab);
        },
        { ...asFor(page), colorScheme: 'light' },
      ));
  });

  // Here, because a service and a browser are open already.
  merchantFlows(() => ({ site, member }));

  it('is unknown at another address, and says so', () =>
    site.flow(
      async (tab) => {
        await shown(tab, '/admin/sandbox/no-such-page');
        await tab.getByRole('heading', { name: 'No page here' }).waitFor();
        await expectAccessible(tab);
      },
      { as: member },
    ));
});

const FAILURE = {
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({
    error: {
      type: 'api_error',
      code: 'internal_error',
      message: 'Something failed on our side. Quote the request id to support.',
      request_id: 'req_01failed',
      retryable: true,
      doc_url: '',
    },
  }),
};
