import { checksumEvmAddress } from '../../src/domain/evm-address.js';
import { newId } from '../../src/domain/ids.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { refusalOf } from '../http/refusal.js';
import { addKey, addMerchant, openLivePolygon } from '../http/tenants.js';
import type { ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { tenantRows } from '../tenancy/tenant-rows.js';
import { startOrderingWorld } from './ordering-world.js';
import { DESTINATION, failingIn, type Fields, listedIn, pocketOn, previewOf, withdraw } from './withdrawals.js';

let world: World;
let api: ApiClient;
let pocket: PocketObject;
/** A sanctioned address with letters in both cases. */
let sanctioned: string;
beforeAll(async () => {
  ({ world, api, pocket } = await startOrderingWorld(['polygon', 'bnb']));
  const [lower = ''] = listedIn('ETH.txt');
  sanctioned = checksumEvmAddress(lower.toLowerCase());
});
afterAll(() => world.stop());
afterEach(() => expectBooksInOrder(world.database));

const dryRun = (fields: Fields, from = pocket) => previewOf(api, from.id, fields);
const refused = async (fields: Fields, from = pocket, by = api) => refusalOf(await withdraw(by, from.id, fields));

describe('a body', () => {
  it.each<[fault: string, fields: Fields, param: string]>([
    ['without a pocket', { pocket_id: undefined }, 'pocket_id'],
    ['with a pocket that is no text', { pocket_id: 7 }, 'pocket_id'],
    ['without an amount', { amount_cents: undefined }, 'amount_cents'],
    ['with an amount of zero', { amount_cents: 0 }, 'amount_cents'],
    ['with a negative amount', { amount_cents: -1 }, 'amount_cents'],
    ['with half a cent', { amount_cents: 1.5 }, 'amount_cents'],
    ['with an amount as text', { amount_cents: '1000' }, 'amount_cents'],
    ['with an amount that no JSON number represents exactly', { amount_cents: 2 ** 53 }, 'amount_cents'],
    ['without a destination', { destination: undefined }, 'destination'],
    ['with an empty destination', { destination: '' }, 'destination'],
    ['with a destination that is no text', { destination: [DESTINATION] }, 'destination'],
    ['with an unknown fee strategy', { fee_strategy: 'instant' }, 'fee_strategy'],
    ['with a long reference', { reference: 'r'.repeat(256) }, 'reference'],
    ['with a NUL in its reference', { reference: 'a\0b' }, 'reference'],
    ['with a dry run that is no boolean', { dry_run: 'yes' }, 'dry_run'],
    ['with a field that does not exist', { memo: 'x' }, 'memo'],
  ])(
    '%s is refused with its param [spec 4.6 pocket_id, amount_cents, destination, fee_strategy]',
    async (_, fields, param) => {
      expect(await refused(fields)).toEqual({ status: 400, code: 'invalid_request', param });
    },
  );

  it('may have the largest amount that a JSON number represents exactly, which exceeds the pocket', async () => {
    expect(await refused({ amount_cents: 2 ** 53 - 1 })).toMatchObject({ code: 'insufficient_balance' });
  });
});

describe('a caller', () => {
  it('without the scope withdrawals:write is refused before any other check: live keys have it on demand only [B-27]', async () => {
    const merchantId = await addMerchant(world, 'Careful');
    await openLivePolygon(world);
    const keys = [
      await addKey(world, merchantId, 'sandbox', ['read', 'payments:write', 'webhooks:write']),
      await addKey(world, merchantId, 'live'),
    ];
    for (const key of keys) {
      expect(refusalOf(await key.post('/v1/withdrawals', { nonsense: true }))).toEqual({
        status: 403,
        code: 'forbidden',
      });
      expect((await key.get('/v1/withdrawals')).status).toBe(200);
    }
  });

  it("does not find another merchant's pocket, nor the sandbox's with a live key, whatever else is wrong [spec 4.6 pocket_id] [B-20] [B-21]", async () => {
    const merchantId = await addMerchant(world, 'Stranger');
    const stranger = await addKey(world, merchantId, 'sandbox');
    const live = await addKey(world, merchantId, 'live', ['withdrawals:write']);
    const own = await pocketOn(stranger, 'polygon');
    const fields = { destination: 'nowhere', amount_cents: 2 ** 53 - 1 };
    const attempts: readonly (readonly [ApiClient, string])[] = [
      [stranger, pocket.id],
      [live, own.id],
      [stranger, newId('pkt_')],
      [stranger, 'x'],
    ];
    for (const [by, id] of attempts) {
      for (const dry_run of [false, true]) {
        expect(refusalOf(await withdraw(by, id, { ...fields, dry_run }))).toEqual({ status: 404, code: 'not_found' });
      }
    }
  });
});

describe('a failure outside of the service', () => {
  /**
   * Prices and networks are cached for half a second. Until then an order would be accepted, stay in flight and lock the
   * pocket; a dry run changes nothing.
   */
  const untilDryRunFailsWith = (code: string, from = pocket) =>
    eventually(
      async () => failingIn(await dryRun({}, from)),
      (failing) => failing.includes(code),
    );

  it('is reported last: 503 price_unavailable without a price, 503 network_unavailable where token or network are off', async () => {
    const { database } = world;
    await query(
      database,
      `insert into price_round (id, environment, prices, created_at)
       values ('prd_without_pol', 'sandbox', '{"USDC": {"price": "1", "sources": []}}', now() + interval '1 day')`,
    );
    await untilDryRunFailsWith('price_unavailable');
    expect(await refused({})).toEqual({ status: 503, code: 'price_unavailable' });
    const preview = await dryRun({ destination: sanctioned, amount_cents: 100_001 });
    expect(preview.network_fee_cents).toBeNull();
    expect(failingIn(preview)).toEqual(['address_blocked', 'insufficient_balance', 'price_unavailable']);
    // The coin itself needs no price.
    expect(failingIn(await dryRun({}, await pocketOn(api, 'polygon', 'POL')))).toEqual(['insufficient_balance']);
    await query(database, `delete from price_round where id = 'prd_without_pol'`);

    const switchToken = (isOn: boolean) =>
      query(database, `update chain_token set enabled = $2 where contract = $1`, [
        world.chain('polygon').chain.tokens['USDC']?.address ?? '',
        isOn,
      ]);
    await switchToken(false);
    await untilDryRunFailsWith('network_unavailable');
    const off = await withdraw(api, pocket.id, {});
    expect(refusalOf(off)).toEqual({ status: 503, code: 'network_unavailable' });
    expect(off.headers.get('retry-after')).toBe('30');
    await switchToken(true);
    await eventually(
      () => dryRun({}),
      ({ would_succeed }) => would_succeed,
    );

    // The outcome of a payment on a halted chain would not be seen.
    const other = await pocketOn(api, 'bnb');
    expect(failingIn(await dryRun({}, other))).toEqual(['insufficient_balance']);
    await query(
      database,
      `update chain_cursor set halted_reason = 'A reorg below finality.'
        where chain_ref = (select id from chain where network = 'bnb')`,
    );
    await untilDryRunFailsWith('network_unavailable', other);
  });
});

describe('several faults at once', () => {
  /** Entries are sealed a moment after they are booked, so a comparison of rows has to wait for that. */
  const untilSealed = () =>
    eventually(
      () => query(world.database, `select from unsealed_entry union all select from unsealed_audit_entry`),
      (waiting) => waiting.length === 0,
    );

  it('are answered with the first in the documented order; a dry run lists them all with the fee, and changes nothing [spec 7 address_network_mismatch, address_blocked, pocket_locked, insufficient_balance]', async () => {
    await untilSealed();
    const before = await tenantRows(world.database);
    expect(failingIn(await dryRun({ amount_cents: 1 }))).toEqual([]);
    const { idempotency_record: _, ...unchanged } = before;
    expect(await tenantRows(world.database)).toMatchObject(unchanged);
    expect(await pocketOn(api, 'polygon')).toEqual(pocket);

    const { status, body } = await withdraw(api, pocket.id, { amount_cents: 1 });
    expect(status).toBe(202);
    const tooMuch = { amount_cents: 100_001 };
    const nowhere = { ...tooMuch, destination: 'nowhere' };
    const blocked = { ...tooMuch, destination: sanctioned };
    const locked = { status: 409, code: 'pocket_locked', param: 'pocket_id' };
    expect(await refused(nowhere)).toMatchObject({ status: 400, code: 'address_network_mismatch' });
    expect(await refused(blocked)).toMatchObject({ status: 400, code: 'address_blocked' });
    expect(await refused(tooMuch)).toEqual(locked);
    expect(await refused({ amount_cents: 1 })).toEqual(locked);
    const other = await pocketOn(api, 'bnb');
    expect(await refused(tooMuch, other)).toMatchObject({ status: 400, code: 'insufficient_balance' });
    expect(await refused(nowhere, other)).toMatchObject({ code: 'address_network_mismatch' });

    await eventually(
      async () => {
        const waits = `select from withdrawal where id = $1 and waiting_reason = 'merchant_frozen'`;
        return (await query(world.database, waits, [body.id])).length;
      },
      (seen) => seen === 1,
    );
    await untilSealed();
    const inFlight = await tenantRows(world.database);
    expect(await dryRun(nowhere)).toMatchObject({
      object: 'withdrawal_preview',
      pocket_id: pocket.id,
      amount_cents: 100_001,
      network_fee_cents: 10,
      would_succeed: false,
      failing_checks: [
        { code: 'address_network_mismatch', param: 'destination' },
        { code: 'pocket_locked', param: 'pocket_id' },
        { code: 'insufficient_balance', param: 'amount_cents' },
      ],
    });
    expect(failingIn(await dryRun(blocked))).toEqual(['address_blocked', 'pocket_locked', 'insufficient_balance']);
    const { idempotency_record: __, ...still } = inFlight;
    expect(await tenantRows(world.database)).toMatchObject(still);
    expect((await api.get<WithdrawalObject>(`/v1/withdrawals/${body.id}`)).body.status).toBe('broadcasting');
  });
});
