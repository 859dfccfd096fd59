import type { ConsolePage } from '../../admin-ui/src/app/route-table.js';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { expectAccessible, expectReadableColours } from './page-checks.js';
import { addressOf, EVERY_PAGE, expectSound, shown } from './page-visits.js';

describeInChromium('every page of the console', () => {
  let site: LightConsole;
  let member: ConsoleClient;
  beforeAll(async () => {
    site = await startLightConsole();
    member = await signedIn(site, await addMember(site, 'all@example.com', { sandbox: 'admin' }));
  });
  afterAll(() => site.stop());

  const asFor = ({ access }: ConsolePage) => (access === 'public' ? {} : { as: member });

  describe.each(EVERY_PAGE)('%s', (path, page) => {
    it('has no violation of WCAG 2.2 A and AA, and does not scroll sideways at 320 px or 200 % zoom', () =>
      site.flow((tab) => expectSound(tab, page), { ...asFor(page), colorScheme: 'light' }));

    // The scheme changes colours and nothing else.
    it('can be read in dark', () =>
      site.flow(
        async (tab) => {
          await shown(tab, addressOf(page));
          await tab.locator('html[data-mantine-color-scheme=dark]').waitFor();
          await expectReadableColours(tab);
        },
        { ...asFor(page), colorScheme: 'dark' },
      ));

    it('has no violation when the service fails, in light and dark', () =>
      site.flow(
        async (tab) => {
          await tab.route('**/admin/api/sandbox/**', (route) => route.fulfill(FAILURE));
          await shown(tab, addressOf(page));
          if (path.includes('$environment')) await tab.getByText('req_01failed').first().waitFor();
          await expectAccessible(tab);
          await tab.emulateMedia({ colorScheme: 'dark' });
          await tab.locator('html[data-mantine-color-scheme=dark]').waitFor();
          await expectReadableColours(tab);
        },
        { ...asFor(page), colorScheme: 'light' },
      ));
  });
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
