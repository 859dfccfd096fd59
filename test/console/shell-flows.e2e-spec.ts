import { globSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { addDeliveries } from '../webhooks/many-deliveries.js';
import { ChangeStream } from './change-stream.js';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, PASSWORD, signedIn } from './console-service.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { expectAccessible } from './page-checks.js';
import { streamsOf, updated } from './page-updates.js';

const FIRST_LOAD_BYTES_MAX = 220 * 1024;
const CHUNK_BYTES_MAX = 150 * 1024;

let site: LightConsole;
let member: ConsoleClient;
let endpointId: string;

/** Sooner than a page asks by itself while changes are reported to it. */
const AT_ONCE = { timeout: 20_000 };

/** Headless tabs are always visible: the page is told otherwise. */
const becomes = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate<void>(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);

/** The name of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent ?? '').trim()`,
  );

describeInChromium('the shell of the console', () => {
  beforeAll(async () => {
    site = await startLightConsole();
    member = await signedIn(site, await addMember(site, 'shell@example.com', { sandbox: 'admin' }));
  });
  afterAll(() => site.stop());

  it('is ready after at most 220 KB, as Chromium counts them from the sign-in to the first page', () =>
    site.flow(async (page) => {
      const session = await page.context().newCDPSession(page);
      let transferred = 0;
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        transferred += encodedDataLength;
      });
      await session.send('Network.enable');
      await page.goto('/admin');
      await page.getByLabel('E-mail').fill('shell@example.com');
      await page.locator('input[name=password]').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Account of' }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(transferred).toBeGreaterThan(50 * 1024);
      expect(transferred).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX);
    }));

  it('has no chunk of more than 150 KB, compressed as it is sent', () => {
    const files = globSync('admin-ui/dist/assets/*.br').map((path) => ({ path, bytes: statSync(path).size }));
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter(({ bytes }) => bytes > CHUNK_BYTES_MAX)).toEqual([]);
  });

  it('is used by the keyboard alone: skip link, search, menu, and the heading of each new page', () =>
    site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
        await page.keyboard.press('Tab');
        expect(await focused(page)).toBe('Skip to the content');
        await page.keyboard.press('Enter');
        expect(await page.evaluate('document.activeElement.id')).toBe('main');
        await page.keyboard.press('/');
        expect(await focused(page)).toMatch(/^Search/);
        await page.getByRole('button', { name: 'Account of' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('menuitem', { name: 'Your account' }).waitFor();
        await expectAccessible(page);
        await page.keyboard.press('Escape');
        await page.getByRole('menu').waitFor({ state: 'hidden' });
        expect(await focused(page)).toMatch(/^Account of/);
        await page.getByRole('link', { name: 'Set up sign-in codes' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: 'Sign-in codes' }).waitFor();
        expect(await focused(page)).toBe('Sign-in codes');
      },
      { as: member },
    ));

  it('hides the navigation, ordered by subject, behind a button on a narrow screen', () =>
    site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('button', { name: 'Navigation' }).click();
        const pages = page.getByRole('navigation', { name: 'Pages' });
        await pages.waitFor();
        const webhooks = pages.getByRole('list', { name: 'Webhooks' }).getByRole('link');
        expect(await webhooks.allTextContents()).toEqual(['Dead letters', 'Deliveries', 'Replay jobs', 'Endpoints']);
        await expectAccessible(page);
      },
      { as: member, viewport: { width: 390, height: 780 } },
    ));

  it('says that the network is lost, and that it is back', () =>
    site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.context().setOffline(true);
        await page.getByText('You are offline').waitFor();
        await expectAccessible(page);
        await page.context().setOffline(false);
        await page.getByText('You are offline').waitFor({ state: 'hidden' });
      },
      // The stream that the lost network cuts.
      { as: member, expected: /net::ERR_INTERNET_DISCONNECTED/ },
    ));

  it('of an older build loads itself once when its files are gone, at the address that was asked for', () =>
    site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('heading', { level: 1 }).waitFor();
        let isDeployed = false;
        page.on('request', (request) => {
          isDeployed ||= request.isNavigationRequest();
        });
        await page.route('**/assets/codes.page-*.js', (route) =>
          isDeployed ? route.continue() : route.fulfill({ status: 404, body: '' }),
        );
        let loads = 0;
        page.on('load', () => (loads += 1));
        await page.getByRole('link', { name: 'Set up sign-in codes' }).click();
        await page.getByRole('heading', { level: 1, name: 'Sign-in codes' }).waitFor();
        await page.waitForLoadState('load');
        expect(loads).toBe(1);
        expect(new URL(page.url()).pathname).toBe('/admin/account/codes');
      },
      { as: member, expected: /Failed to fetch dynamically imported module/ },
    ));

  it('keeps the colours and the way of writing times that were chosen', () =>
    site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('button', { name: 'Account of' }).click();
        await page.getByRole('menuitemradio', { name: 'Dark' }).click();
        await page.reload();
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark');
      },
      { as: member, colorScheme: 'light' },
    ));

  describe('while something changes', () => {
    beforeAll(async () => {
      await query(site.database, `insert into merchant (id, name) values ('mer_shop', 'Shop') on conflict do nothing`);
      const input = { url: 'https://shop.example/hooks', event_types: ['*' as const], enabled: true };
      const tenant = { merchantId: 'mer_shop', environment: 'sandbox' } as const;
      const endpoints = site.service.get(WebhookEndpointsService);
      endpointId = (await site.database.transaction((tx) => endpoints.create(tx, tenant, input))).id;
      await aDeadLetter();
    });

    /** Inserts one more dead letter. */
    const aDeadLetter = (): Promise<string> =>
      addDeliveries(
        { query: (text, parameters) => query(site.database, text, parameters) },
        { endpointId, count: 1, status: 'dead_letter', responseStatus: 500 },
      );

    /** The row of the endpoint, with so many dead letters. */
    const dead = (page: Page, count: number) => page.getByRole('cell', { name: String(count), exact: true });

    it('shows changes without a reload in every tab of a browser, which has one stream, also when its tab is closed', () =>
      site.flow(
        async (page) => {
          const streams = streamsOf(page);
          await page.goto('/admin/sandbox/deliveries');
          await updated(page, 'reported');
          const other = await page.context().newPage();
          await other.goto('/admin/sandbox/dead-letters');
          await updated(other, 'reported');
          await aDeadLetter();
          await dead(other, 2).waitFor(AT_ONCE);
          await page.getByRole('button', { name: '1 new, refresh' }).waitFor(AT_ONCE);
          expect(streams).toHaveLength(1);
          await page.close();
          await eventually(() => streams.length === 2);
          await updated(other, 'reported');
          await aDeadLetter();
          await dead(other, 3).waitFor(AT_ONCE);
          expect(streams).toHaveLength(2);
        },
        { as: member },
      ));

    it('shows changes within some seconds when its stream is cut, which it does not open again and again', () =>
      site.flow(
        async (page) => {
          const streams = streamsOf(page);
          await page.goto('/admin/sandbox/dead-letters');
          await updated(page, 'reported');
          await dead(page, 3).waitFor();
          const newer = await Promise.all([1, 2, 3].map(() => ChangeStream.open(member)));
          await updated(page, 'polled');
          await aDeadLetter();
          await dead(page, 4).waitFor();
          expect(streams).toHaveLength(1);
          for (const stream of newer) await stream.close();
        },
        { as: member },
      ));

    it('has no stream while its tab is hidden, and shows what has changed when it is seen again', () =>
      site.flow(
        async (page) => {
          const streams = streamsOf(page);
          await page.goto('/admin/sandbox/dead-letters');
          await updated(page, 'reported');
          await becomes(page, 'hidden');
          await updated(page, 'polled');
          await aDeadLetter();
          await becomes(page, 'visible');
          await updated(page, 'reported');
          await dead(page, 5).waitFor(AT_ONCE);
          expect(streams).toHaveLength(2);
        },
        { as: member },
      ));
  });
});
