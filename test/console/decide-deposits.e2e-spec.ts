import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import { availableOf, countOf, KIM, LEE, WHY } from './decide-books.js';
import {
  bookedWithdrawalIn,
  heldDepositIn,
  lateDepositIn,
  quarantinedIntentIn,
  suspenseDepositIn,
  underpaidIntentIn,
} from './decide-operations.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { query } from '../support/sql.js';
import { expectAccessible, expectAccessibleInBothSchemes } from './page-checks.js';

let service: LightConsole;
let kim: ConsoleClient;
let lee: ConsoleClient;
const place = () => ({ service, environment: 'sandbox' }) as const;
beforeAll(async () => {
  service = await startLightConsole();
  kim = await signedIn(service, await addMember(service, KIM, { sandbox: 'admin' }));
  lee = await signedIn(service, await addMember(service, LEE, { sandbox: 'admin' }));
});
afterAll(() => service.stop());

describe('a deposit in the console', () => {
  it('is credited once, and the second member reads who did it', async () => {
    const { id, merchantId } = await suspenseDepositIn(place());
    const body = { merchant_id: merchantId, ...WHY };
    const { body: before } = await kim.get(`/sandbox/deposits/${id}`);
    expect(before).toMatchObject({ held_as: 'suspense', offers: ['credit', 'refund'], merchant_id: merchantId });
    expect((await kim.get('/sandbox/decisions')).body['data']).toContainEqual(
      expect.objectContaining({ id, kind: 'unattributed', merchant_id: merchantId }),
    );
    const listed = async () =>
      (await kim.get('/sandbox/deposits')).body['data'].find((deposit: { id: string }) => deposit.id === id);
    expect(await listed()).toMatchObject({ status: 'confirmed', held_as: 'suspense' });
    const done = await kim.post(`/sandbox/deposits/${id}/credit`, body);
    expect(done.body).toMatchObject({ held_as: null, offers: [] });
    expect(await listed()).toMatchObject({ status: 'confirmed', held_as: null });
    const second = await lee.post(`/sandbox/deposits/${id}/credit`, body);
    expect([second.status, second.body['error'].message]).toEqual([
      409,
      expect.stringMatching(/^It is resolved already: by kim@example\.com at \S+, "ticket 7"\.$/),
    ]);
    expect(await availableOf(service.database, merchantId)).toBe('25000000');
    expect(await countOf(service.database, 'deposit.resolve', id)).toBe(1);
    expect((await kim.get(`/live/deposits/${id}`)).status).toBe(404);
  });

  it('is not credited to a merchant to whom its address was not given', async () => {
    const { id } = await suspenseDepositIn(place());
    const { merchantId: stranger } = await suspenseDepositIn(place());
    const refused = await kim.post(`/sandbox/deposits/${id}/credit`, { merchant_id: stranger, ...WHY });
    expect([refused.status, refused.body['error'].message]).toEqual([
      400,
      expect.stringMatching(/^Its address was given to mer_\w+, and the pocket is mer_\w+'s\.$/),
    ]);
  });

  it('is refunded to an address of its network, and is in suspense again once that is cancelled', async () => {
    const { id } = await suspenseDepositIn(place());
    await heldDepositIn(place());
    const refund = (address: string) => kim.post(`/sandbox/deposits/${id}/refund`, { address, ...WHY });
    expect((await refund('TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf')).body['error'].code).toBe('address_network_mismatch');
    const ordered = await refund('0x8ba1f109551bD432803012645Ac136ddd64DBA72');
    expect(ordered.body).toMatchObject({
      held_as: 'returning',
      offers: ['cancel_refund'],
      refund: { status: 'broadcasting', standing: 'No open vault has checked it yet.' },
    });
    const again = await refund('0x8ba1f109551bD432803012645Ac136ddd64DBA72');
    expect([again.status, again.body['error'].message]).toEqual([
      409,
      expect.stringMatching(/^It is on its way out to 0x/),
    ]);
    const cancelled = await lee.post(`/sandbox/deposits/${id}/cancel-refund`, WHY);
    expect(cancelled.body).toMatchObject({ held_as: 'suspense', offers: ['credit', 'refund'] });
    expect(cancelled.body['decisions']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ who: KIM, what: 'Refund of a deposit ordered' }),
        expect.objectContaining({ who: LEE, what: 'Refund cancelled' }),
      ]),
    );
  });

  it('is kept on hold, and released later, once', async () => {
    const id = await heldDepositIn(place());
    expect((await kim.get('/sandbox/decisions?kind=on_hold')).body['data']).toContainEqual(
      expect.objectContaining({ id, kind: 'on_hold' }),
    );
    expect((await kim.post(`/sandbox/deposits/${id}/keep`, WHY)).body).toMatchObject({
      held_as: 'kept',
      offers: ['release'],
    });
    const [first, second] = await Promise.all([
      kim.post(`/sandbox/deposits/${id}/release`, WHY),
      lee.post(`/sandbox/deposits/${id}/release`, WHY),
    ]);
    const [done, told] = first.status === 200 ? [first, second] : [second, first];
    expect([done.status, told.status]).toEqual([200, 409]);
    expect(done.body).toMatchObject({ held_as: null, sentence: "It is in the merchant's pocket." });
    expect(told.body['error'].message).toMatch(/^It is released already: by \w+@example\.com/);
    expect(await countOf(service.database, 'deposit.release', id)).toBe(1);
  });
});

describe('the lists of deposits', () => {
  it('are exported by their filter as CSV that no spreadsheet runs, each export with its entry', async () => {
    const exported = async (search: string): Promise<readonly string[]> => {
      const file = await fetch(`${service.url}/admin/api/sandbox/${search}`, { headers: { Cookie: kim.cookie } });
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      return (await file.text()).split('\r\n').slice(1, -1);
    };
    const { id, merchantId } = await suspenseDepositIn(place());
    const late = await lateDepositIn(place());
    await query(service.database, `update merchant set name = '=1+1' where id = $1`, [merchantId]);
    expect(await exported('decisions.csv')).toContainEqual(
      expect.stringMatching(new RegExp(`^${id},unattributed,.*,${merchantId},'=1\\+1,`)),
    );
    expect(await exported('decisions.csv?kind=kept')).not.toContainEqual(expect.stringContaining(id));
    const mismatched = await exported('deposits.csv?network=bnb');
    for (const one of [id, late]) expect(mismatched).toContainEqual(expect.stringContaining(`${one},`));
    expect(await exported('deposits.csv?network=polygon')).toEqual([]);
    const lates = await exported('deposits.csv?late_acknowledged=false');
    expect(lates).toContainEqual(expect.stringContaining(`${late},`));
    expect(lates).not.toContainEqual(expect.stringContaining(`${id},`));
    expect(await countOf(service.database, 'decisions.export', 'sandbox')).toBe(2);
    expect(await countOf(service.database, 'deposits.export', 'sandbox')).toBe(3);
  });
});

describe('a quarantined intent in the console', () => {
  it('is listed, and settled again once', async () => {
    const id = await quarantinedIntentIn(place());
    const { body } = await kim.get('/sandbox/decisions?kind=quarantined');
    expect(body['data']).toContainEqual(
      expect.objectContaining({ id, sentence: 'Its settlement failed five times: no space.' }),
    );
    expect((await kim.get('/sandbox/decision-counts')).body['quarantined']).toBe(1);
    expect((await kim.post(`/sandbox/intents/${id}/retry`, WHY)).status).toBe(202);
    const again = await lee.post(`/sandbox/intents/${id}/retry`, WHY);
    expect([again.status, again.body['error'].message]).toEqual([
      409,
      expect.stringMatching(/^The settlement of the intent is not quarantined\. Staff acted on it last by kim@/),
    ]);
    expect((await kim.get('/sandbox/decision-counts')).body['quarantined']).toBe(0);
  });
});

describe('a payment that went other than asked', () => {
  it('leaves the queue once it is acknowledged, and the second member reads who did it', async () => {
    const id = await underpaidIntentIn(place());
    const late = await lateDepositIn(place());
    const queue = async (known: boolean): Promise<string[]> => {
      const under = await kim.get(`/sandbox/intents?unusual=under&acknowledged=${known}`);
      const lates = await kim.get(`/sandbox/deposits?late_acknowledged=${known}`);
      return [...under.body['data'], ...lates.body['data']].map((row: { id: string }) => row.id);
    };
    expect(await queue(false)).toEqual(expect.arrayContaining([id, late]));
    for (const [kind, subject] of [
      ['payment_intent', id],
      ['deposit', late],
    ] as const) {
      const body = { kind, id: subject, note: 'The shop knows.' };
      expect((await kim.post('/sandbox/acknowledgements', body)).status).toBe(201);
      const again = await lee.post('/sandbox/acknowledgements', body);
      expect([again.status, again.body['error'].message]).toEqual([
        409,
        expect.stringMatching(/^It was acknowledged already, by kim@example\.com at \S+, "The shop knows\."\.$/),
      ]);
      expect(await countOf(service.database, 'payment.acknowledge', subject)).toBe(1);
    }
    const { acknowledgement, answers } = (await kim.get(`/sandbox/intents/${id}`)).body;
    expect(acknowledgement).toMatchObject({ author: 'kim@example.com', note: 'The shop knows.' });
    expect(answers.merchant).toMatch(/closed the case\.$/);
    expect(await queue(true)).toEqual(expect.arrayContaining([id, late]));
    expect(await queue(false)).not.toEqual(expect.arrayContaining([id]));
    expect(await queue(false)).not.toEqual(expect.arrayContaining([late]));
  });
});

describeInChromium('the pages of decisions', () => {
  it('lead to what waits for an approval or an unfreeze, which no list shows as on its way', async () => {
    const waiting = await bookedWithdrawalIn(place());
    const [frozen, cancelled] = [await bookedWithdrawalIn(place()), await bookedWithdrawalIn(place())];
    const { body: shown } = await kim.get(`/sandbox/withdrawals/${frozen}`);
    await query(service.database, 'update withdrawal set waiting_reason = null where id = $1', [frozen]);
    await kim.post('/sandbox/signing/freeze', { kind: 'merchant', id: shown['merchant_id'], ...WHY });
    await kim.post(`/sandbox/withdrawals/${cancelled}/cancel`, WHY);
    await service.flow(
      async (tab) => {
        const rowOf = (table: string, id: string) =>
          tab
            .getByRole('table', { name: table })
            .getByRole('row')
            .filter({ hasText: id.slice(-8) });
        await tab.goto('/admin/sandbox/decide');
        await tab.getByRole('link', { name: /^Withdrawals that need approval \(\d+\)$/ }).click();
        await rowOf('Withdrawals', waiting).getByText('Needs approval', { exact: true }).waitFor();
        expect(await rowOf('Withdrawals', frozen).count()).toBe(0);
        await tab.getByLabel('Status').selectOption('');
        await rowOf('Withdrawals', frozen).getByText('Frozen', { exact: true }).waitFor();
        await rowOf('Withdrawals', cancelled).getByText('Cancelled by staff', { exact: true }).waitFor();
        await expectAccessibleInBothSchemes(tab);
        await tab.goto('/admin/sandbox/merchants');
        await rowOf('Merchants', shown['merchant_id']).getByText('Signing frozen', { exact: true }).waitFor();
        await expectAccessibleInBothSchemes(tab);
        await tab.goto(`/admin/sandbox/withdrawals/${cancelled}`);
        await tab.getByText(/^It was cancelled by .* went back to the pocket\.$/).waitFor();
        await expectAccessible(tab);
      },
      { as: kim, colorScheme: 'light' },
    );
  });

  it('have no violation of WCAG 2.2 A and AA with rows and open dialogs, and one effect of a double click', async () => {
    const withdrawal = await bookedWithdrawalIn(place());
    const { id: deposit } = await suspenseDepositIn(place());
    await underpaidIntentIn(place());
    const known = { kind: 'payment_intent', id: await underpaidIntentIn(place()), note: 'The shop knows.' };
    expect((await kim.post('/sandbox/acknowledgements', known)).status).toBe(201);
    const pages = [
      'withdrawals',
      `withdrawals/${withdrawal}?dialog=approve`,
      'decide',
      'know',
      'deposits',
      `deposits/${deposit}?dialog=refund`,
    ];
    await service.flow(
      async (tab) => {
        for (const page of pages) {
          await tab.goto(`/admin/sandbox/${page}`);
          const shown = page.includes('?') ? tab.getByRole('dialog') : tab.getByRole('row').nth(1);
          await shown.first().waitFor();
          await expectAccessible(tab);
        }
        await tab.goto(`/admin/sandbox/intents/${known.id}`);
        await tab.getByText(/^Acknowledged by kim@example\.com .*: The shop knows\.$/).waitFor();
        await expectAccessible(tab);
        await tab.goto(`/admin/sandbox/deposits/${deposit}?dialog=credit`);
        await tab.getByLabel('Reason, for the audit log').fill('ticket 7');
        await tab.getByRole('dialog').getByRole('button', { name: 'Credit the merchant' }).dblclick();
        await tab.getByText('It was credited to a pocket of the merchant by staff.').first().waitFor();
      },
      { as: kim, colorScheme: 'light' },
    );
    expect(await countOf(service.database, 'deposit.resolve', deposit)).toBe(1);
  });
});
