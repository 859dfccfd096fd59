import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type IntentTraits,
  type SeededChain,
} from '../../../test/support/factories.js';
import { intentsOn } from '../../../test/support/intent-services.js';
import { query } from '../../../test/support/sql.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Database } from '../../platform/database/database.js';
import type { IntentReader } from './intent-reader.service.js';
import { type ListIntentsQuery, listIntentsQuery, type StatusFilter } from './payment-intent.schema.js';

let db: TestDatabase;
let database: Database;
let reader: IntentReader;
let polygon: SeededChain;
let bnb: SeededChain;
let tenant: Tenant;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  reader = intentsOn(database).reader;
  polygon = await aChain(database, { height: 100 });
  bnb = await aChain(database, { network: 'bnb', decimals: 18 });
});
afterAll(() => db.drop());
beforeEach(async () => {
  tenant = await aMerchant(database);
});

const intent = async (traits: Partial<IntentTraits> = {}): Promise<string> =>
  (await anIntent(database, { tenant, chain: polygon, ...traits })).id;

const idsOf = async (filter: Partial<ListIntentsQuery>, as = tenant): Promise<string[]> =>
  (await reader.list(as, { limit: 100, ...filter })).data.map(({ id }) => id);

const inStatus = (status: StatusFilter): Promise<string[]> => idsOf(listIntentsQuery.parse({ status }));

/** All ids in the order of the pages. */
async function pageThrough(limit: number, beforeEachPage: () => Promise<unknown> = async () => undefined) {
  const seen: string[] = [];
  let startingAfter: string | undefined;
  do {
    await beforeEachPage();
    const page = await reader.list(tenant, { limit, starting_after: startingAfter });
    expect(page.has_more).toBe(page.next_cursor !== null);
    seen.push(...page.data.map(({ id }) => id));
    startingAfter = page.next_cursor ?? undefined;
  } while (startingAfter !== undefined);
  return seen;
}

/** An intent of that very moment. */
const createAt = (id: string, moment: string): Promise<unknown> =>
  query(
    database,
    `insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency,
       network, token, created_at, updated_at, expires_at, due_at)
     values ($1, $2, 'sandbox', 'requires_action', 100, 'USD', 'USDC', 'polygon', 'USDC', $3, $3, $3, $3)`,
    [id, tenant.merchantId, moment],
  );

describe('the list', () => {
  it('is newest first and pages without losing or repeating one, equal times included [A-12] [spec 4.5]', async () => {
    const ids = ['pi_a', 'pi_b', 'pi_c', 'pi_d', 'pi_e'].map((id) => `${id}_${tenant.merchantId}`);
    const moments = ['01', '02', '02', '02', '03'];
    for (const [i, id] of ids.entries()) await createAt(id, `2026-01-01T00:00:${moments[i]}Z`);
    const newestFirst = ids.toReversed();
    for (const limit of [1, 2, 3, 5]) expect(await pageThrough(limit)).toEqual(newestFirst);
  });

  it('shows each intent once while new ones arrive [A-12]', async () => {
    const before = await Promise.all([1, 2, 3, 4].map(() => intent()));
    const seen = await pageThrough(2, () => intent({ expiresIn: 7200 }));
    expect(seen.filter((id) => before.includes(id)).toSorted()).toEqual(before.toSorted());
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('is bounded inclusively below and strictly above [spec 4.5] [A-13]', async () => {
    const ids = ['pi_x', 'pi_y', 'pi_z'].map((id) => `${id}_${tenant.merchantId}`);
    for (const [i, id] of ids.entries()) await createAt(id, `2026-02-0${i + 1}T00:00:00Z`);
    const [first, second, third] = ids;
    const day = (n: number): Date => new Date(`2026-02-0${n}T00:00:00Z`);
    expect(await idsOf({ created_gte: day(2) })).toEqual([third, second]);
    expect(await idsOf({ created_lt: day(2) })).toEqual([first]);
    expect(await idsOf({ created_gte: day(2), created_lt: day(3) })).toEqual([second]);
    expect(await idsOf({ created_gte: day(3), created_lt: day(2) })).toEqual([]);
    expect(await idsOf({ created_lt: day(3), starting_after: second })).toEqual([first]);
    expect(await idsOf({ created_lt: day(2), starting_after: third })).toEqual([first]);
    expect(await idsOf({ created_lt: day(2), starting_after: second })).toEqual([first]);
  });

  it('accepts every spelling of a status [A-14] [spec 3.1] [spec 4.5]', async () => {
    const [waiting, processing, cancelled, failed] = [
      await intent(),
      await intent({ status: 'processing' }),
      await intent({ status: 'cancelled' }),
      await intent({ status: 'failed' }),
    ];
    expect(await inStatus('requires_payment')).toEqual([waiting]);
    expect(await inStatus('requires_action')).toEqual([waiting]);
    expect(await inStatus('processing')).toEqual([processing]);
    expect(await inStatus('canceled')).toEqual([cancelled]);
    expect(await inStatus('cancelled')).toEqual([cancelled]);
    expect(await inStatus('failed')).toEqual([failed]);
    expect(await inStatus('completed')).toEqual([]);
  });

  it('filters by network, together with everything else [spec 4.5]', async () => {
    const wanted = await intent({ chain: bnb, status: 'processing' });
    await intent({ chain: bnb });
    await intent({ status: 'processing' });
    expect(await idsOf({ network: 'bnb', status: 'processing', created_gte: new Date(0) })).toEqual([wanted]);
    expect(await idsOf({ network: 'solana' })).toEqual([]);
  });

  it('holds nothing of another merchant or of the other environment [B-28]', async () => {
    const mine = await intent();
    const other = await aMerchant(database);
    expect(await idsOf({}, other)).toEqual([]);
    expect(await idsOf({}, { ...tenant, environment: 'live' })).toEqual([]);
    for (const stranger of [other, { ...tenant, environment: 'live' as const }]) {
      await expect(idsOf({ starting_after: mine }, stranger)).rejects.toMatchObject({
        code: 'invalid_request',
        details: { param: 'starting_after' },
      });
    }
  });

  it('returns one answer for a foreign and an unknown starting_after [A-11]', async () => {
    const foreign = await intent();
    tenant = await aMerchant(database);
    const answers = await Promise.all(
      [foreign, 'pi_00000000000000000000000000'].map((id) => idsOf({ starting_after: id }).catch(String)),
    );
    expect(answers[0]).toBe(answers[1]);
  });
});

describe('an intent', () => {
  it('is shown with its payments in the order of the chain [api]', async () => {
    const seeded = await anIntent(database, { tenant, chain: polygon });
    await aDeposit(database, seeded, { amount: 2n, blockHeight: 99 });
    await aDeposit(database, seeded, { amount: 1n, blockHeight: 90, status: 'confirmed' });
    await aDeposit(database, seeded, { amount: 3n, blockHeight: 100, status: 'orphaned' });
    const { payments, payment_uri: uri } = await reader.get(tenant, seeded.id);
    expect(
      payments.map((one) => [one.amount, one.status, one.confirmations, one.required_confirmations, one.late]),
    ).toEqual([
      ['1', 'confirmed', 10, 3, false],
      ['2', 'pending', 1, 3, false],
      ['3', 'orphaned', 0, 3, false],
    ]);
    expect(uri?.toLowerCase()).toBe(
      `ethereum:${polygon.contract}@31337/transfer?address=${seeded.address}&uint256=${seeded.cryptoAmount}`,
    );
  });

  it('shows amounts of 18 decimals exactly [E-60]', async () => {
    const id = await intent({ chain: bnb });
    expect(await reader.get(tenant, id)).toMatchObject({
      crypto_amount: '25000000000000000000',
      crypto_amount_decimal: '25',
      token_decimals: 18,
    });
  });

  it('is not found by another merchant, nor in the other environment [B-20] [B-21]', async () => {
    const id = await intent();
    for (const stranger of [await aMerchant(database), { ...tenant, environment: 'live' as const }]) {
      await expect(reader.get(stranger, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
