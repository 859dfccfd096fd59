import { WithdrawalApproval } from '../../src/withdrawals/policies/withdrawal-approval.entity.js';
import { query, queryOne } from '../support/sql.js';
import type { ConsoleClient } from './console-client.js';
import { describeInChromium } from './chromium.js';
import { addMember, auditOf, signedIn } from './console-service.js';
import {
  bookedWithdrawalIn,
  frozenWalletIn,
  heldDepositIn,
  lateDepositIn,
  quarantinedIntentIn,
  suspenseDepositIn,
  underpaidIntentIn,
} from './decide-operations.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { expectAccessible } from './page-checks.js';

const KIM = 'kim@example.com';
const LEE = 'lee@example.com';
const WHY = { reason: 'ticket 7' };

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

const countOf = async (action: string, subject: string): Promise<number> => {
  const sql = 'select count(*)::int as count from audit_entry where action = $1 and subject = $2';
  return (await queryOne<{ count: number }>(service.database, sql, [action, subject])).count;
};
const availableOf = async (merchantId: string): Promise<string> => {
  const sql = `select coalesce(sum(balance), 0)::text as balance from account where merchant_id = $1 and kind = 'pocket_available'`;
  return (await queryOne<{ balance: string }>(service.database, sql, [merchantId])).balance;
};
const ownerOf = async (withdrawalId: string): Promise<string> => {
  const sql = 'select merchant_id as id from withdrawal where id = $1';
  return (await queryOne<{ id: string }>(service.database, sql, [withdrawalId])).id;
};

describe('a withdrawal in the console', () => {
  it('is approved once: the second member is told by whom', async () => {
    const id = await bookedWithdrawalIn(place());
    const first = await kim.post(`/sandbox/withdrawals/${id}/approve`, WHY);
    const second = await lee.post(`/sandbox/withdrawals/${id}/approve`, WHY);
    expect([first.body, second.body]).toMatchObject([
      { approved_by: KIM, already: false },
      { approved_by: KIM, already: true },
    ]);
    expect(await countOf('withdrawal.approve', id)).toBe(1);
    const { body } = await lee.get(`/sandbox/withdrawals/${id}`);
    expect(body).toMatchObject({ offer: null, approval: { approved_by: KIM } });
    expect(body['sentence']).toMatch(/^It was approved by kim@example\.com/);
    expect(body['decisions']).toContainEqual(
      expect.objectContaining({ who: KIM, what: 'withdrawal.approve', reason: 'ticket 7' }),
    );
    const [entry] = (await auditOf(service, KIM)).filter(({ subject }) => subject === id);
    expect(entry).toMatchObject({ environment: 'sandbox', role: 'admin', address: expect.any(String) });
  });

  it('is not approved by the member who issued the API key of its order, whom the database refuses too', async () => {
    const id = await bookedWithdrawalIn(place(), 'key_of_kim');
    await query(
      service.database,
      `insert into audit_entry (actor, action, subject, details, role, environment)
       values ($1, 'key.create', 'key_of_kim', '{}', 'admin', 'sandbox')`,
      [KIM],
    );
    const refused = await kim.post(`/sandbox/withdrawals/${id}/approve`, WHY);
    expect([refused.status, refused.body['error'].message]).toEqual([
      409,
      'You issued the API key that ordered it: another member of staff must approve it.',
    ]);
    expect(await countOf('withdrawal.approve', id)).toBe(0);
    expect((await lee.post(`/sandbox/withdrawals/${id}/approve`, WHY)).status).toBe(200);
    const { orderedBy, approvedBy } = await service.database
      .em()
      .findOneOrFail(WithdrawalApproval, { withdrawalId: id });
    expect([orderedBy, approvedBy]).toEqual([KIM, LEE]);
    const other = await bookedWithdrawalIn(place());
    await expect(
      service.database.transaction(async (tx) => {
        await query(
          tx,
          `insert into audit_entry (actor, action, subject, details) values ($1, 'withdrawal.approve', $2, '{}')`,
          [KIM, other],
        );
        await query(
          tx,
          `insert into withdrawal_approval (withdrawal_id, chain_ref, token_contract, amount, destination_key, ordered_by, approved_by)
           select id, chain_ref, token_contract, amount, destination_key, $2, $2 from withdrawal where id = $1`,
          [other, KIM],
        );
      }),
    ).rejects.toThrow('withdrawal_approval_by_another');
  });

  it('is cancelled once, and its money is back in the pocket; the second member is told by whom', async () => {
    const id = await bookedWithdrawalIn(place());
    const merchant = await ownerOf(id);
    expect(await availableOf(merchant)).toBe('0');
    const [first, second] = await Promise.all([
      kim.post(`/sandbox/withdrawals/${id}/cancel`, WHY),
      lee.post(`/sandbox/withdrawals/${id}/cancel`, WHY),
    ]);
    const [done, told] = first.status === 200 ? [first, second] : [second, first];
    expect([done.status, told.status]).toEqual([200, 409]);
    expect(done.body).toMatchObject({ status: 'failed', failure_code: 'cancelled', can_cancel: false });
    expect(told.body['error'].message).toMatch(
      /^The withdrawal is already failed\. Staff decided last by \w+@example\.com at \S+, "ticket 7"\.$/,
    );
    expect(await availableOf(merchant)).toBe(String(10n ** 18n + 10n ** 16n));
    expect(await countOf('withdrawal.cancel', id)).toBe(1);
  });

  it('is listed by every filter, page by page, and exported', async () => {
    const ids = [await bookedWithdrawalIn(place()), await bookedWithdrawalIn(place())];
    const { body: shown } = await kim.get(`/sandbox/withdrawals/${ids[0]}`);
    const of = async (search: string): Promise<string[]> => {
      const { status, body } = await kim.get(`/sandbox/withdrawals?limit=100&${search}`);
      expect([search, status]).toEqual([search, 200]);
      return body['data'].map(({ id }: { id: string }) => id);
    };
    const { merchant_id: merchant, pocket_id: pocket, destination, created_at: created } = shown;
    for (const search of [
      `merchant_id=${merchant}`,
      `pocket_id=${pocket}`,
      `merchant_id=${merchant}&status=broadcasting`,
    ]) {
      expect(await of(search)).toEqual([ids[0]]);
    }
    const combined = `network=bnb&status=broadcasting&destination=${destination.toUpperCase().replace('0X', '0x')}`;
    for (const search of ['', 'network=bnb', `destination=${destination}`, combined, `created_gte=${created}`]) {
      expect(await of(search)).toEqual(expect.arrayContaining(ids));
    }
    for (const search of [
      'network=polygon',
      `status=completed&merchant_id=${merchant}`,
      'created_lt=2020-01-01T00:00:00Z',
    ]) {
      expect(await of(search)).toEqual([]);
    }
    const all = await of('');
    const paged: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const cursor: string = after === '' ? '' : `&starting_after=${after}`;
      const { body } = await kim.get(`/sandbox/withdrawals?limit=1${cursor}`);
      paged.push(...body['data'].map(({ id }: { id: string }) => id));
      after = body['next_cursor'];
    }
    expect(paged).toEqual(all);
    expect((await kim.get('/live/withdrawals')).status).toBe(404);
    const file = await fetch(`${service.url}/admin/api/sandbox/withdrawals.csv?merchant_id=${merchant}`, {
      headers: { Cookie: kim.cookie },
    });
    const text = await file.text();
    expect(text.split('\r\n')[1]).toContain(`${ids[0]},${merchant}`);
  });
});

describe('signing in the console', () => {
  it('is frozen and unfrozen for a merchant, and who comes second is told', async () => {
    const id = await bookedWithdrawalIn(place());
    const body = { kind: 'merchant', id: await ownerOf(id), ...WHY };
    expect((await kim.post('/sandbox/signing/freeze', body)).body).toMatchObject({ before: null });
    expect((await lee.post('/sandbox/signing/freeze', body)).body).toMatchObject({ before: 'ticket 7' });
    expect((await lee.get(`/sandbox/withdrawals/${id}`)).body['frozen']).toEqual({
      network: null,
      merchant: 'ticket 7; ticket 7',
    });
    expect((await lee.get('/sandbox/signing')).body['places']).toContainEqual(
      expect.objectContaining({ kind: 'merchant', id: body.id, frozen_reason: 'ticket 7; ticket 7' }),
    );
    expect((await kim.post('/sandbox/signing/unfreeze', body)).status).toBe(200);
    const again = await lee.post('/sandbox/signing/unfreeze', body);
    expect([again.status, again.body['error'].message]).toEqual([
      409,
      expect.stringMatching(/^It is not frozen\. It was changed last by kim@example\.com at \S+, "ticket 7"\.$/),
    ]);
  });
});

describe('a deposit in the console', () => {
  it('is credited once, and the second member is told by whom', async () => {
    const { id, merchantId } = await suspenseDepositIn(place());
    const body = { merchant_id: merchantId, ...WHY };
    const { body: before } = await kim.get(`/sandbox/deposits/${id}`);
    expect(before).toMatchObject({ held_as: 'suspense', offers: ['credit', 'refund'], merchant_id: merchantId });
    expect((await kim.get('/sandbox/decisions')).body['data']).toContainEqual(
      expect.objectContaining({ id, kind: 'unattributed', merchant_id: merchantId }),
    );
    const done = await kim.post(`/sandbox/deposits/${id}/credit`, body);
    expect(done.body).toMatchObject({ held_as: null, offers: [] });
    const second = await lee.post(`/sandbox/deposits/${id}/credit`, body);
    expect([second.status, second.body['error'].message]).toEqual([
      409,
      expect.stringMatching(/^It is resolved already: by kim@example\.com at \S+, "ticket 7"\.$/),
    ]);
    expect(await availableOf(merchantId)).toBe('25000000');
    expect(await countOf('deposit.resolve', id)).toBe(1);
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
        expect.objectContaining({ who: KIM, what: 'deposit.return' }),
        expect.objectContaining({ who: LEE, what: 'return.cancel' }),
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
    expect(await countOf('deposit.release', id)).toBe(1);
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
  it('leaves the queue once it is acknowledged, and the second member is told by whom', async () => {
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
      expect(await countOf('payment.acknowledge', subject)).toBe(1);
    }
    expect(await queue(true)).toEqual(expect.arrayContaining([id, late]));
    expect(await queue(false)).not.toEqual(expect.arrayContaining([id]));
    expect(await queue(false)).not.toEqual(expect.arrayContaining([late]));
  });
});

describeInChromium('the pages of decisions', () => {
  it('have no violation of WCAG 2.2 A and AA with rows and open dialogs, and one effect of a double click', async () => {
    const withdrawal = await bookedWithdrawalIn(place());
    const { id: deposit } = await suspenseDepositIn(place());
    await underpaidIntentIn(place());
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
        await tab.goto(`/admin/sandbox/deposits/${deposit}?dialog=credit`);
        await tab.getByLabel('Reason, for the audit log').fill('ticket 7');
        await tab.getByRole('dialog').getByRole('button', { name: 'Credit the merchant' }).dblclick();
        await tab.getByText('It was credited to a pocket of the merchant by staff.').first().waitFor();
      },
      { as: kim, colorScheme: 'light' },
    );
    expect(await countOf('deposit.resolve', deposit)).toBe(1);
  });
});

// Last: a wallet whose chain cannot be asked stops the decisions above.
describe('the hot wallet of a network in the console', () => {
  it('is frozen at once, and not unfrozen while no node answers', async () => {
    const body = { ...(await frozenWalletIn(place())), ...WHY };
    expect((await kim.post('/sandbox/signing/freeze', body)).body).toMatchObject({ before: 'a leak' });
    const refused = await kim.post('/sandbox/signing/unfreeze', body);
    expect([refused.status, refused.body['error'].message]).toEqual([
      409,
      expect.stringMatching(/^Its chain cannot be asked/),
    ]);
    expect((await kim.get('/sandbox/signing')).body['places']).toContainEqual({
      kind: 'network',
      id: 'bnb',
      name: 'bnb',
      frozen_reason: expect.stringContaining('ticket 7'),
    });
  });
});
