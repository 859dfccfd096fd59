import type { Page } from 'playwright-core';
import type { ConsolePage } from '../../admin-ui/src/app/route-table.js';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import type { OpenPage } from './console-world.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { merchantFlows } from './merchant-flows.js';
import { expectAccessible } from './page-checks.js';
import { A_PAGE_OF_EACH_KIND, expectSound, shown } from './page-visits.js';

// In light; every page, the dark scheme and the failing service are in `every-page.soak-spec.ts`.
describeInChromium('a page of the console', () => {
  let site: LightConsole;
  let member: ConsoleClient;
  let anonymousTab: OpenPage;
  let memberTab: OpenPage;
  beforeAll(async () => {
    site = await startLightConsole();
    member = await signedIn(site, await addMember(site, 'all@example.com', { sandbox: 'admin' }));
    [anonymousTab, memberTab] = await Promise.all([
      site.open({ colorScheme: 'light' }),
      site.open({ colorScheme: 'light', as: member }),
    ]);
  });
  afterAll(async () => {
    try {
      await Promise.all([anonymousTab.close(), memberTab.close()]);
    } finally {
      await site.stop();
    }
  });

  /** One tab for all pages of its kind: it loads what they share once. */
  const tabFor = ({ access }: ConsolePage): Page => (access === 'public' ? anonymousTab : memberTab).page;

  it.each(A_PAGE_OF_EACH_KIND)(
    '%s has no violation of WCAG 2.2 A and AA, and does not scroll sideways at 320 px or 200 % zoom',
    (_path, page) => expectSound(tabFor(page), page),
  );

  // Here, because a service and a browser are open already.
  merchantFlows(() => ({ site, member }));

  it('is unknown at another address, and says so', async () => {
    const tab = memberTab.page;
    await shown(tab, '/admin/sandbox/no-such-page');
    await tab.getByRole('heading', { name: 'No page here' }).waitFor();
    await expectAccessible(tab);
  });
});
