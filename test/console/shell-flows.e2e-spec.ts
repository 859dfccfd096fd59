import { globSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { describeInChromium } from './chromium.js';
import { PASSWORD } from './console-service.js';
import { expectAccessible } from './page-checks.js';
import { streamsOf, updated } from './page-updates.js';
import { AT_ONCE, ShellScene, withDeadLetters } from './shell-scene.js';

const FIRST_LOAD_BYTES_MAX = 220 * 1024;
const CHUNK_BYTES_MAX = 150 * 1024;

let scene: ShellScene;

/** The name of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent ?? '').trim()`,
  );

// What is narrow, cut off, outdated or hidden: `shell-flows.soak-spec.ts`.
describeInChromium('the shell of the console', () => {
  beforeAll(async () => {
    scene = await ShellScene.start();
  });
  afterAll(() => scene.stop());

  it('is ready after at most 220 KB, as Chromium counts them from the sign-in to the first page', () =>
    scene.site.flow(async (page) => {
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
    scene.site.flow(
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
        await page.locator('h1:focus').waitFor();
        expect(await focused(page)).toBe('Sign-in codes');
      },
      { as: scene.member },
    ));

  it('shows changes without a reload in every tab of a browser, which has one stream, also when its tab is closed', () =>
    scene.site.flow(
      async (page) => {
        const streams = streamsOf(page);
        await page.goto('/admin/sandbox/deliveries');
        await updated(page, 'reported');
        const other = await page.context().newPage();
        await other.goto('/admin/sandbox/dead-letters');
        await updated(other, 'reported');
        await scene.addDeadLetter();
        await withDeadLetters(other, 2).waitFor(AT_ONCE);
        await page.getByRole('button', { name: '1 new, refresh' }).waitFor(AT_ONCE);
        expect(streams).toHaveLength(1);
        await page.close();
        await eventually(() => streams.length === 2);
        await updated(other, 'reported');
        await scene.addDeadLetter();
        await withDeadLetters(other, 3).waitFor(AT_ONCE);
        expect(streams).toHaveLength(2);
      },
      { as: scene.member },
    ));
});
