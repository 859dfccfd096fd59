import type { Page } from 'playwright-core';
import { ChangeStream } from './change-stream.js';
import { describeInChromium } from './chromium.js';
import { expectAccessible } from './page-checks.js';
import { streamsOf, updated } from './page-updates.js';
import { AT_ONCE, ShellScene, withDeadLetters } from './shell-scene.js';

let scene: ShellScene;

/** Sets the visibility that the page sees: a headless tab is always visible. */
const becomes = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate<void>(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);

// The flows beside those of `shell-flows.e2e-spec.ts`.
describeInChromium('the shell of the console', () => {
  beforeAll(async () => {
    scene = await ShellScene.start();
  });
  afterAll(() => scene.stop());

  it('hides the navigation, ordered by subject, behind a button on a narrow screen', () =>
    scene.site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('button', { name: 'Navigation' }).click();
        const pages = page.getByRole('navigation', { name: 'Pages' });
        await pages.waitFor();
        const webhooks = pages.getByRole('list', { name: 'Webhooks' }).getByRole('link');
        expect(await webhooks.allTextContents()).toEqual(['Dead letters', 'Deliveries', 'Replay jobs', 'Endpoints']);
        await expectAccessible(page);
      },
      { as: scene.member, viewport: { width: 390, height: 780 } },
    ));

  it('says that the network is lost, and that it is back', () =>
    scene.site.flow(
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
      { as: scene.member, expected: /net::ERR_INTERNET_DISCONNECTED/ },
    ));

  it('of an older build loads itself once when its files are gone, at the address that was asked for', () =>
    scene.site.flow(
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
      { as: scene.member, expected: /Failed to fetch dynamically imported module/ },
    ));

  it('keeps the colours and the way of writing times that were chosen', () =>
    scene.site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('button', { name: 'Account of' }).click();
        await page.getByRole('menuitemradio', { name: 'Dark' }).click();
        await page.reload();
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark');
      },
      { as: scene.member, colorScheme: 'light' },
    ));

  it('changes at once for staff whose system asks for less motion', () =>
    scene.site.flow(
      async (page) => {
        await page.goto('/admin/account');
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.evaluate<void>(`document.documentElement.dataset.mantineColorScheme = 'dark'`);
        expect(await page.evaluate(`document.getAnimations().length`)).toBe(0);
      },
      { as: scene.member, colorScheme: 'light', reducedMotion: 'reduce' },
    ));

  it('shows changes within some seconds when its stream is cut, which it does not open again and again', () =>
    scene.site.flow(
      async (page) => {
        const streams = streamsOf(page);
        await page.goto('/admin/sandbox/dead-letters');
        await updated(page, 'reported');
        await withDeadLetters(page, 1).waitFor();
        const newer = await Promise.all([1, 2, 3].map(() => ChangeStream.open(scene.member)));
        await updated(page, 'polled');
        await scene.addDeadLetter();
        await withDeadLetters(page, 2).waitFor();
        expect(streams).toHaveLength(1);
        for (const stream of newer) await stream.close();
      },
      { as: scene.member },
    ));

  it('has no stream while its tab is hidden, and shows what has changed when it is seen again', () =>
    scene.site.flow(
      async (page) => {
        const streams = streamsOf(page);
        await page.goto('/admin/sandbox/dead-letters');
        await updated(page, 'reported');
        await becomes(page, 'hidden');
        await updated(page, 'polled');
        await scene.addDeadLetter();
        await becomes(page, 'visible');
        await updated(page, 'reported');
        await withDeadLetters(page, 3).waitFor(AT_ONCE);
        expect(streams).toHaveLength(2);
      },
      { as: scene.member },
    ));
});
