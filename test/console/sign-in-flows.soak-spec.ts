import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { runCommand } from '../support/cli-run.js';
import { query } from '../support/sql.js';
import { describeInChromium } from './chromium.js';
import { addMember, codeOf, forgetFailures, type Member, PASSWORD, signedIn } from './console-service.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { streamsOf, updated } from './page-updates.js';

const WRONG = 'not the right password';

async function fillIn(page: Page, { email }: Pick<Member, 'email'>, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.locator('input[name=password]').fill(password);
  await page.keyboard.press('Enter');
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describeInChromium('the sign-in', () => {
  let site: LightConsole;
  beforeAll(async () => {
    site = await startLightConsole();
  });
  afterEach(() => forgetFailures(site));
  afterAll(() => site.stop());

  it('shows a wrong password as an alert, and leads to the address that was asked for', async () => {
    const member = await addMember(site, 'vic@example.com', { sandbox: 'viewer' });
    await site.flow(async (page) => {
      await page.goto('/admin/account?from=mail');
      await heading(page, 'Sign in').waitFor();
      expect(await page.title()).toBe('Sign in · Coffer');
      await fillIn(page, member, WRONG);
      await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
      expect(await page.getByLabel('E-mail').inputValue()).toBe(member.email);
      await fillIn(page, member);
      await heading(page, 'Your account').waitFor();
      expect(new URL(page.url()).pathname).toBe('/admin/account');
      expect(new URL(page.url()).search).toBe('?from=mail');
      expect(await page.title()).toBe('Your account · Coffer');
    });
  });

  it.each([
    ['https://evil.example/', '/admin/account'],
    ['//evil.example/', '/admin/account'],
    ['/\\evil.example/', '/admin/account'],
    ['javascript:alert(1)', '/admin/account'],
    ['/account/codes', '/admin/account/codes'],
  ])('goes after `next=%s` to a page of the console alone', async (next, landing) => {
    const member = await addMember(site, `next-${randomUUID()}@example.com`, { sandbox: 'none' });
    await site.flow(async (page) => {
      await page.goto(`/admin/sign-in?${new URLSearchParams({ next }).toString()}`);
      await fillIn(page, member);
      await page.waitForURL(`**${landing}`);
      expect(new URL(page.url()).origin).toBe(new URL(site.url).origin);
    });
  });

  it('says how long an account is locked after too many guesses [M-166]', async () => {
    const member = await addMember(site, 'locked@example.com', { sandbox: 'viewer' });
    await site.flow(async (page) => {
      await page.goto('/admin/sign-in');
      for (let n = 0; n < 5; n++) {
        await fillIn(page, member, WRONG);
        await page.getByRole('alert').getByText('is wrong').waitFor();
      }
      await fillIn(page, member);
      await page
        .getByRole('alert')
        .getByText(/Try again in \d+ (s|min)\./)
        .waitFor();
    });
  });

  it('asks for a code of the authenticator, or for a recovery code, when the account has one', async () => {
    const member = await addMember(site, 'code@example.com', { sandbox: 'viewer' }, { totp: true });
    await site.flow(async (page) => {
      await page.goto('/admin/account');
      await fillIn(page, member);
      await page.getByLabel('Code of your authenticator app').fill('000000');
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByRole('alert').getByText('The code is wrong').waitFor();
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').waitFor();
      await page.getByRole('button', { name: 'Use a code of the app' }).click();
      await page.getByLabel('Code of your authenticator app').fill(codeOf(member));
      await page.getByRole('button', { name: 'Verify' }).click();
      await heading(page, 'Your account').waitFor();
    });
  });

  it('lets an invited member choose a password, and keeps the token out of the address', async () => {
    const { databaseUrl, url } = site;
    const invite = ['staff', 'invite', '--email', 'new@example.com', '--role', 'viewer'];
    const { out } = await runCommand(invite, { DATABASE_URL: databaseUrl, BASE_URL: url });
    await site.flow(async (page) => {
      await page.goto(out.trim());
      await page.getByText('new@example.com').waitFor();
      expect(page.url()).toBe(`${url}/admin/accept`);
      await page.locator('input[name=new_password]').fill(PASSWORD);
      await page.locator('input[name=repeated]').fill(`${PASSWORD}!`);
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('alert').getByText('The two new passwords differ.').waitFor();
      await page.locator('input[name=repeated]').fill(PASSWORD);
      await page.getByRole('button', { name: 'Join' }).click();
      await heading(page, 'Sign in').waitFor();
      await fillIn(page, { email: 'new@example.com' });
      await page.getByRole('button', { name: 'Account of new@example.com' }).waitFor();
    });
  });

  it('is asked for over the page when the session has ended: address and form stay, and the request goes out', async () => {
    const member = await addMember(site, 'ended@example.com', { sandbox: 'viewer' });
    await site.flow(
      async (page) => {
        const streams = streamsOf(page);
        await page.goto('/admin/account?kept=yes');
        await updated(page, 'reported');
        await page.locator('input[name=current_password]').fill(PASSWORD);
        await page.locator('input[name=new_password]').fill('a wholly different one');
        await page.locator('input[name=repeated]').fill('a wholly different one');
        await query(site.database, 'delete from staff_session where staff_id = $1', [member.id]);
        await updated(page, 'polled');
        // The new stream is not ready yet when the change of the password renews the session once more.
        await page.route(/\/stream$/, async (route) => {
          await sleep(1_000);
          await route.continue();
        });
        await page.getByRole('button', { name: 'Change the password' }).click();
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.locator('input[name=password]').fill(PASSWORD);
        await dialog.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('Your password is changed').waitFor();
        expect(new URL(page.url()).search).toBe('?kept=yes');
        // The stream ended with its session, and is opened again for the new one, once each.
        await updated(page, 'reported');
        expect(streams).toHaveLength(2);
      },
      { as: await signedIn(site, member) },
    );
  });

  it('ends with the sign-out, which leaves nothing behind', async () => {
    const member = await addMember(site, 'out@example.com', { sandbox: 'viewer' });
    await site.flow(
      async (page) => {
        await page.goto('/admin/account');
        // The page that was left is on the screen for this long.
        await page.route(/assets\/sign-in\.page/, async (route) => {
          await sleep(1_000);
          await route.continue();
        });
        await page.getByRole('button', { name: 'Account of' }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await heading(page, 'Sign in').waitFor();
        await page.goBack();
        await heading(page, 'Sign in').waitFor();
        await page.goto('/admin/account');
        await heading(page, 'Sign in').waitFor();
      },
      { as: await signedIn(site, member) },
    );
  });
});

describeInChromium('the console where a live network is configured', () => {
  let site: LightConsole;
  beforeAll(async () => {
    site = await startLightConsole({ live: true });
  });
  afterAll(() => site.stop());

  it('makes a member set up sign-in codes before anything else, and shows the recovery codes once', async () => {
    const member = await addMember(site, 'first@example.com', { sandbox: 'viewer', live: 'viewer' });
    await site.flow(
      async (page) => {
        const streams = streamsOf(page);
        await page.goto('/admin/account');
        await heading(page, 'Sign-in codes').waitFor();
        await page.getByRole('button', { name: 'Show the QR code' }).click();
        await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
        const secret = (await page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
        await page.getByRole('textbox', { name: 'Code' }).fill(codeOf({ secret }));
        // The service would refuse it, and keep a record.
        expect(streams).toEqual([]);
        await page.getByRole('button', { name: 'Confirm' }).click();
        await heading(page, 'Your recovery codes').waitFor();
        expect(await page.getByRole('main').getByRole('listitem').count()).toBe(10);
        await page.getByRole('button', { name: 'I have kept them' }).click();
        await page.goto('/admin/account');
        await page.getByText('Your sign-in asks for a code of your authenticator app.').waitFor();
        await updated(page, 'reported');
      },
      { as: await signedIn(site, member) },
    );
  });

  it('says which environment it shows, in a colour of its own, and changes it', async () => {
    const member = await addMember(site, 'both@example.com', { sandbox: 'viewer', live: 'viewer' }, { totp: true });
    await site.flow(
      async (page) => {
        await page.goto('/admin/sandbox/nothing');
        await page.getByRole('button', { name: 'Environment: Sandbox' }).click();
        await page.getByRole('menuitem', { name: 'Live (real money)' }).click();
        const badge = page.getByRole('button', { name: 'Environment: Live' });
        await badge.waitFor();
        expect(new URL(page.url()).pathname).toBe('/admin/live/nothing');
        const colour = `getComputedStyle(document.querySelector('button[data-environment=live]')).backgroundColor`;
        expect(await page.evaluate(colour)).toBe('rgb(179, 0, 27)');
        expect(await page.title()).toMatch(/ · Live · Coffer$/);
      },
      { as: await signedIn(site, member) },
    );
  });
});
