import { globSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, PASSWORD, signedIn } from './console-service.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { expectAccessible } from './page-checks.js';

const FIRST_LOAD_BYTES_MAX = 220 * 1024;
const CHUNK_BYTES_MAX = 150 * 1024;

let site: LightConsole;
let member: ConsoleClient;

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

  it('hides the navigation behind a button on a narrow screen', () =>
    site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('button', { name: 'Navigation' }).click();
        await page.getByRole('navigation', { name: 'Pages' }).waitFor();
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
      { as: member },
    ));

  it('of an older build loads itself once when its files are gone, at the address that was asked for', () =>
    site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('heading', { level: 1 }).waitFor();
        let isDeployed = false;
        await page.route('**/assets/codes.page-*.js', (route) =>
          isDeployed ? route.continue() : route.fulfill({ status: 404, body: '' }),
        );
        let loads = 0;
        page.on('load', () => {
          loads += 1;
          isDeployed = true;
        });
        await page.getByRole('link', { name: 'Set up sign-in codes' }).click();
        await page.getByRole('heading', { level: 1, name: 'Sign-in codes' }).waitFor();
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
});
