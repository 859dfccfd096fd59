import type { Page } from 'playwright-core';
import { PolicyOperations } from '../../src/withdrawals/policies/policy-operations.service.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import type { LightConsole } from './light-console.js';
import { expectAccessible, expectNoSidewaysScrollWhenNarrow } from './page-checks.js';
import { takePictures } from './pictures.js';

const HOSTILE = '<img src=x onerror="document.title=1"> \u202EtxtShop';
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

interface Place {
  readonly site: LightConsole;
  /** An administrator of sandbox. */
  readonly member: ConsoleClient;
}

const reasonOf = (page: Page) => page.getByLabel('Reason, for the audit log');
const row = (page: Page, table: string) => page.getByRole('table', { name: table }).getByRole('row');

/** The flows of merchants, the team and the audit log, on a console that is open already. */
export function merchantFlows(place: () => Place): void {
  const statusWith = async (key: string): Promise<number> => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`${place().site.url}/v1/pockets`, { headers })).status;
  };

  it('makes a merchant and a key that is shown once, works, and gets 401 once it is revoked', () =>
    place().site.flow(
      async (page) => {
        await page.goto('/admin/sandbox/merchants');
        await page.getByRole('button', { name: 'New merchant' }).click();
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill(HOSTILE);
        await reasonOf(page).fill('The contract is signed.');
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('heading', { level: 1, name: '<img src=x' }).waitFor();
        await page.getByText('No sandbox keys').waitFor();
        await page.getByRole('button', { name: 'New key' }).click();
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Shop');
        await reasonOf(page).fill('The merchant asked for it.');
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Create' }).click();
        const dialog = page.getByRole('dialog', { name: 'The new key' });
        const key = (await dialog.locator('bdi').innerText()).trim();
        expect(key).toMatch(/^sk_sb_\w{46}$/);
        await dialog.getByRole('button', { name: 'Done' }).click();
        await row(page, 'API keys')
          .getByText(`sk_sb_…${key.slice(-4)}`)
          .waitFor();
        expect(await page.content()).not.toContain(key);
        expect(await statusWith(key)).toBe(200);
        await takePictures(page, 'merchant');
        await page.getByRole('button', { name: 'Revoke sk_sb_' }).click();
        await reasonOf(page).fill('The merchant has lost it.');
        await page.getByRole('button', { name: 'Revoke', exact: true }).click();
        await row(page, 'API keys').getByText('Revoked', { exact: true }).waitFor();
        await eventually(async () => (await statusWith(key)) === 401);
        await expectAccessible(page);
        await expectNoSidewaysScrollWhenNarrow(page);
        expect(await page.locator('img').count()).toBe(0);
      },
      { as: place().member },
    ));

  it('tightens the rules of a merchant, and says what the service refuses', async () => {
    const { site, member } = place();
    const { body: merchant } = await member.post('/sandbox/merchants', { name: 'Acme GmbH', reason: 'New.' });
    const tenant = { merchantId: String(merchant['id']), environment: 'sandbox' } as const;
    const policies = site.service.get(PolicyOperations);
    await site.database.transaction((tx) =>
      policies.allow(tx, tenant, { address: ADDRESS, isAllowed: true }, 'root@shell'),
    );
    const support = await signedIn(site, await addMember(site, 'helps@example.com', { sandbox: 'support' }));
    await site.flow(
      async (page) => {
        await page.goto(`/admin/sandbox/merchants/${tenant.merchantId}`);
        // Until the lists above are there, the button moves away under the pointer.
        await page.getByText('No sandbox keys').waitFor();
        await page.waitForLoadState('networkidle');
        await page.getByRole('button', { name: 'Tighten', exact: true }).click();
        await page.getByLabel('Maximum withdrawals in 24 hours').fill('20');
        await reasonOf(page).fill('Unusual withdrawals.');
        await page.getByRole('button', { name: 'Tighten', exact: true }).last().click();
        await page.getByText('0 signed, of 20').waitFor();
        await page.getByText(`--env sandbox --daily-count 30`).waitFor();
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        // Somebody else is faster: the service compares with the rules as they are now.
        await page.getByRole('button', { name: 'Tighten', exact: true }).click();
        await page.getByLabel('Maximum withdrawals in 24 hours').fill('15');
        await reasonOf(page).fill('Unusual withdrawals.');
        await site.database.transaction((tx) => policies.set(tx, tenant, { dailyCount: 10 }, 'root@shell'));
        await page.getByRole('button', { name: 'Tighten', exact: true }).last().click();
        await page.getByRole('alert').getByText('10 withdrawals in 24 hours are allowed now').waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: `Remove ${ADDRESS}` }).click();
        await reasonOf(page).fill('Not theirs.');
        await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
        await page.getByRole('table', { name: 'Allowed destinations' }).waitFor({ state: 'hidden' });
        // What needs an administrator is not offered.
        expect(await page.getByRole('button', { name: /^(New key|Verify merchant|Set tolerance)$/ }).count()).toBe(0);
      },
      { as: support },
    );
    expect((await policies.show(tenant)).dailyCount).toBe(10);
  });

  it('shows who did what, by filters in the address, and locks a member out', async () => {
    const { site, member } = place();
    const kim = await addMember(site, 'leaves@example.com', { sandbox: 'viewer' });
    const session = await signedIn(site, kim);
    await site.flow(
      async (page) => {
        await page.goto('/admin/sandbox/team');
        await row(page, 'Team').getByText(kim.email).waitFor();
        await takePictures(page, 'team');
        await expectAccessible(page);
        await page.getByRole('button', { name: `Disable ${kim.email}` }).click();
        await reasonOf(page).fill('They have left.');
        await page.getByRole('button', { name: 'Disable', exact: true }).last().click();
        await page.getByRole('button', { name: `Disable ${kim.email}` }).waitFor({ state: 'hidden' });
        expect((await session.get('/session')).status).toBe(401);
        await page.goto('/admin/sandbox/audit');
        await page.getByRole('textbox', { name: 'Action' }).fill('staff.disable');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/audit?action=staff.disable');
        const entry = row(page, 'Audit log').filter({ hasText: kim.id });
        await entry.getByText('They have left.').waitFor();
        await entry.getByText('status: active → disabled').waitFor();
        await expectAccessible(page);
        await expectNoSidewaysScrollWhenNarrow(page);
        await page.getByRole('button', { name: 'Clear filters' }).click();
        await page.waitForURL('**/audit');
        await takePictures(page, 'audit');
      },
      { as: member },
    );
  });
}
