import { WithdrawalApproval } from '../../src/withdrawals/policies/withdrawal-approval.entity.js';
import { query, queryOne } from '../support/sql.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, auditOf, type ConsoleService, signedIn, startConsole } from './console-service.js';
import { availableOf, countOf, KIM, LEE, WHY } from './decide-books.js';
import { bookedWithdrawalIn, frozenWalletIn } from './decide-operations.js';
import { withdrawalIn } from './find-operations.js';

let service: ConsoleService;
let kim: ConsoleClient;
let lee: ConsoleClient;
const place = () => ({ service, environment: 'sandbox' }) as const;
beforeAll(async () => {
  service = await startConsole();
  kim = await signedIn(service, await addMember(service, KIM, { sandbox: 'admin' }));
  lee = await signedIn(service, await addMember(service, LEE, { sandbox: 'admin' }));
});
afterAll(() => service.stop());

const ownerOf = async (withdrawalId: string): Promise<string> => {
  const sql = 'select merchant_id as id from withdrawal where id = $1';
  return (await queryOne<{ id: string }>(service.database, sql, [withdrawalId])).id;
};

const stateInSearch = async (id: string): Promise<unknown> => {
  const { body } = await kim.get(`/sandbox/search?q=${id}`);
  return body['hits'].map(({ state }: { state: unknown }) => state)[0];
};

describe('a withdrawal in the console', () => {
  it('is approved once, and leaves the queue; the second member reads who did it', async () => {
    const id = await bookedWithdrawalIn(place());
    const queue = async (): Promise<readonly [unknown[], unknown]> => {
      const { body } = await kim.get('/sandbox/withdrawals?waits_for=approval&limit=100');
      const { body: counts } = await kim.get('/sandbox/decision-counts');
      return [body['data'].map((row: { id: string }) => row.id), counts['approvals']];
    };
    expect(await queue()).toEqual([[id], 1]);
    expect((await kim.get(`/sandbox/withdrawals/${id}`)).body).toMatchObject({
      status: 'broadcasting',
      waits_for: 'approval',
    });
    expect(await stateInSearch(id)).toBe('needs_approval');
    const first = await kim.post(`/sandbox/withdrawals/${id}/approve`, WHY);
    const second = await lee.post(`/sandbox/withdrawals/${id}/approve`, WHY);
    expect([first.body, second.body]).toMatchObject([
      { approved_by: KIM, already: false },
      { approved_by: KIM, already: true },
    ]);
    expect(await countOf(service.database, 'withdrawal.approve', id)).toBe(1);
    const { body } = await lee.get(`/sandbox/withdrawals/${id}`);
    expect(body).toMatchObject({ offer: null, waits_for: null, approval: { approved_by: KIM } });
    expect(await queue()).toEqual([[], 0]);
    expect(await stateInSearch(id)).toBe('broadcasting');
    expect(body['sentence']).toMatch(/^It was approved by kim@example\.com/);
    expect(body['decisions']).toContainEqual(
      expect.objectContaining({ who: KIM, what: 'Withdrawal approved', reason: 'ticket 7' }),
    );
    const [entry] = (await auditOf(service, KIM)).filter(({ subject }) => subject === id);
    expect(entry).toMatchObject({ environment: 'sandbox', role: 'admin', address: expect.any(String) });
  });

  it('is not approved by the member who issued the API key of its order, whom the database refuses too', async () => {
    const owner = await ownerOf(await bookedWithdrawalIn(place()));
    const order = { name: 'Payouts', scopes: ['read', 'withdrawals:write'], reason: 'ticket 8' };
    const { body: key } = await kim.post(`/sandbox/merchants/${owner}/keys`, order);
    const id = await bookedWithdrawalIn(place(), key['id']);
    const refused = await kim.post(`/sandbox/withdrawals/${id}/approve`, WHY);
    expect([refused.status, refused.body['error'].message]).toEqual([
      409,
      'You issued the API key that ordered it: another member of staff must approve it.',
    ]);
    expect(await countOf(service.database, 'withdrawal.approve', id)).toBe(0);
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

  it('is cancelled once, and its money is back in the pocket; the second member reads who did it', async () => {
    const id = await bookedWithdrawalIn(place());
    const merchant = await ownerOf(id);
    expect(await availableOf(service.database, merchant)).toBe('0');
    const [first, second] = await Promise.all([
      kim.post(`/sandbox/withdrawals/${id}/cancel`, WHY),
      lee.post(`/sandbox/withdrawals/${id}/cancel`, WHY),
    ]);
    const [done, told] = first.status === 200 ? [first, second] : [second, first];
    expect([done.status, told.status]).toEqual([200, 409]);
    expect(done.body).toMatchObject({
      status: 'failed',
      failure_code: 'cancelled',
      can_cancel: false,
      waits_for: null,
    });
    expect(done.body['sentence']).toMatch(
      /^It was cancelled by \w+@example\.com before it was paid\. 1\.01 USDC, its amount and fee, went back to the pocket\.$/,
    );
    expect((await kim.get(`/sandbox/withdrawals?merchant_id=${merchant}`)).body['data']).toMatchObject([
      { id, sentence: 'Staff cancelled it before it was paid.' },
    ]);
    expect(told.body['error'].message).toMatch(
      /^The withdrawal is already failed\. Staff decided last by \w+@example\.com at \S+, "ticket 7"\.$/,
    );
    expect(await availableOf(service.database, merchant)).toBe(String(10n ** 18n + 10n ** 16n));
    expect(await countOf(service.database, 'withdrawal.cancel', id)).toBe(1);
  });

  it('that failed says so where the books have returned nothing', async () => {
    const id = await withdrawalIn(place());
    await query(
      service.database,
      `update withdrawal set status = 'failed', failure_code = 'address_blocked', failure_message = 'It is listed.'
        where id = $1`,
      [id],
    );
    expect((await kim.get(`/sandbox/withdrawals/${id}`)).body['sentence']).toBe(
      'It is listed. The books have returned nothing to the pocket.',
    );
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
      `merchant_id=${merchant}&waits_for=approval`,
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
      'waits_for=approval&status=failed',
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
    await query(service.database, 'update withdrawal set waiting_reason = null where id = $1', [id]);
    const frozen = async (): Promise<unknown[]> => {
      const { body: list } = await lee.get(`/sandbox/withdrawals?merchant_id=${body.id}`);
      const { body: merchants } = await lee.get('/sandbox/merchants?limit=100');
      const merchant = merchants['data'].find((one: { id: string }) => one.id === body.id);
      const { body: shown } = await lee.get(`/sandbox/merchants/${body.id}`);
      return [list['data'][0].waits_for, merchant.signing_frozen, shown['signing_frozen']];
    };
    expect(await frozen()).toEqual([null, false, false]);
    expect((await kim.post('/sandbox/signing/freeze', body)).body).toMatchObject({ before: null });
    expect(await frozen()).toEqual(['unfreezing', true, true]);
    expect((await lee.post('/sandbox/signing/freeze', body)).body).toMatchObject({ before: 'ticket 7' });
    expect((await lee.get(`/sandbox/withdrawals/${id}`)).body['frozen']).toEqual({
      network: null,
      merchant: 'ticket 7; ticket 7',
      freezes: [KIM, LEE].map((by) => ({ by, at: expect.any(String), reason: 'ticket 7' })),
    });
    expect((await lee.get('/sandbox/signing')).body['places']).toContainEqual(
      expect.objectContaining({ kind: 'merchant', id: body.id, frozen_reason: 'ticket 7; ticket 7' }),
    );
    const changed = await kim.post('/sandbox/signing/unfreeze', { ...body, frozen_reason: 'ticket 7' });
    expect([changed.status, changed.body['error'].message]).toEqual([
      409,
      'The reasons for the freeze have changed since you looked. They are now: ticket 7; ticket 7. Look at them, then unfreeze ' +
        'signing.',
    ]);
    const seen = { ...body, frozen_reason: 'ticket 7; ticket 7' };
    expect((await kim.post('/sandbox/signing/unfreeze', seen)).status).toBe(200);
    expect(await frozen()).toEqual([null, false, false]);
    const again = await lee.post('/sandbox/signing/unfreeze', seen);
    expect([again.status, again.body['error'].message]).toEqual([
      409,
      expect.stringMatching(/^It is not frozen\. It was changed last by kim@example\.com at \S+, "ticket 7"\.$/),
    ]);
  });
});

// Last: a wallet whose chain cannot be asked stops the decisions above.
describe('the hot wallet of a network in the console', () => {
  it('is frozen at once, and not unfrozen while no node answers', async () => {
    const id = await bookedWithdrawalIn(place());
    await query(service.database, 'update withdrawal set waiting_reason = null where id = $1', [id]);
    const body = { ...(await frozenWalletIn(place())), ...WHY };
    expect((await kim.get(`/sandbox/withdrawals/${id}`)).body['waits_for']).toBe('unfreezing');
    expect((await kim.post('/sandbox/signing/freeze', body)).body).toMatchObject({ before: 'a leak' });
    const refused = await kim.post('/sandbox/signing/unfreeze', { ...body, frozen_reason: 'a leak; ticket 7' });
    expect([refused.status, refused.body['error'].message]).toEqual([
      409,
      expect.stringMatching(/^Its chain cannot be asked(?!.* --)/),
    ]);
    expect((await kim.get('/sandbox/signing')).body['places']).toContainEqual({
      kind: 'network',
      id: 'bnb',
      name: 'bnb',
      frozen_reason: expect.stringContaining('ticket 7'),
      freezes: [{ by: KIM, at: expect.any(String), reason: 'ticket 7' }],
    });
  });
});
