import { getAddress } from 'ethers';
import { newId } from '../../src/domain/ids.js';
import {
  COMPLETED_BY_SQL,
  addressOf,
  createIntent,
  generateAddress,
  getIntent,
  intentWithAddress,
  putInStatus,
} from './intents.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { refusalOf } from './refusal.js';
import { newKey, startWorld, type World } from '../support/world.js';

const PARALLEL_INTENTS = 200;

let world: World;
beforeAll(async () => {
  world = await startWorld({
    networks: ['polygon', 'bnb'],
    env: { WALLET_POOL_TARGET: '400' },
    forged: COMPLETED_BY_SQL,
  });
});
afterAll(() => world.stop());

const times = <Result>(count: number, what: (n: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => what(n)));
const addressesGivenTo = async (intentId: string): Promise<number> =>
  (await query(world.database, `select from pool_address where intent_id = $1`, [intentId])).length;

/** How many addresses the vault has derived ahead: a slow machine needs a while. */
async function freeAddresses(): Promise<number> {
  const rows = await query(
    world.database,
    `select from pool_address where environment = 'sandbox' and family = 'evm' and intent_id is null and retired_at is null`,
  );
  return rows.length;
}

/** The market moves: a newer price snapshot, which processes notice within half a second. */
async function priceBecomes(price: string, cents: number): Promise<void> {
  await query(world.database, `insert into price_round (id, environment, prices) values ($1, 'sandbox', $2)`, [
    newId('prd_'),
    JSON.stringify({ USDC: { price, sources: [] } }),
  ]);
  await eventually(
    async () => (await intentWithAddress(world.api)).token_price_cents,
    (seen) => seen === cents,
  );
}

describe('generate-address', () => {
  it('assigns an address and the amount, and leaves the status as it is [spec 4.2 response] [spec 3.1 generate-address] [spec 2.1 metadata, crypto_amount_decimal, token_price_cents, rule 2]', async () => {
    const created = await createIntent(world.api, { metadata: { order: 'A-1' } });
    const { status, body } = await generateAddress(world.api, created.id);
    expect(status).toBe(200);
    const address = addressOf(body);
    expect(address).toBe(getAddress(address));
    expect(body).toEqual({
      ...created,
      address,
      token_decimals: 6,
      crypto_amount: '25000000',
      crypto_amount_decimal: '25',
      token_price_cents: 100,
      metadata: { order: 'A-1', blockchain_address: address },
      payment_uri: expect.stringMatching(
        new RegExp(`^ethereum:0x[0-9a-fA-F]{40}@\\d+/transfer\\?address=${address}&uint256=25000000$`),
      ),
      updated_at: expect.any(String),
    });
    expect(await getIntent(world.api, created.id)).toEqual(body);
  });

  it("counts in the token's smallest unit on its network: 18 decimals on bnb [spec 4.2 rule 2] [spec 2.1 crypto_amount]", async () => {
    const intent = await intentWithAddress(world.api, { network: 'bnb', amount_cents: 2501 });
    expect(intent).toMatchObject({
      token_decimals: 18,
      crypto_amount: `2501${'0'.repeat(16)}`,
      crypto_amount_decimal: '25.01',
    });
  });

  it('takes an empty body of any content type and {}, and no fields [spec 4.2 no body]', async () => {
    const { id } = await createIntent(world.api);
    const path = `/v1/payment-intents/${id}/generate-address`;
    const answers = [
      await world.api.post(path, undefined, { headers: { 'Content-Type': 'text/plain' } }),
      await world.api.post(path, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const refusal = refusalOf(await world.api.post(path, { amount_cents: 1 }));
    expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: 'amount_cents' });
  });

  it('repeated with another key: the same answer and no side effect [spec 4.2 rule 1] [spec 3.1 generate-address] [C-40]', async () => {
    const first = await intentWithAddress(world.api);
    const again = await generateAddress(world.api, first.id);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(await addressesGivenTo(first.id)).toBe(1);
  });

  it('allows processing, so that an early confirm blocks no intent [spec 4.2]', async () => {
    const { id } = await createIntent(world.api);
    await world.api.post(`/v1/payment-intents/${id}/confirm`);
    const { status, body } = await generateAddress(world.api, id);
    expect({ status, intent: body }).toMatchObject({ status: 200, intent: { status: 'processing' } });
    expect(addressOf(body)).toMatch(/^0x/);
  });

  it.each(['completed', 'failed', 'cancelled', 'expired'] as const)(
    'once %s: 409 invalid_state_transition [spec 7 invalid_state_transition] [spec 3.1 terminal]',
    async (status) => {
      const without = await createIntent(world.api);
      const withAddress = await intentWithAddress(world.api);
      for (const { id } of [without, withAddress]) {
        await putInStatus(world.database, id, status);
        const refusal = refusalOf(await generateAddress(world.api, id));
        expect(refusal).toEqual({ status: 409, code: 'invalid_state_transition' });
      }
    },
  );

  it('an intent that does not exist: 404 not_found [spec 7 not_found] [spec 4.2 id]', async () => {
    for (const id of [newId('pi_'), newId('wd_'), 'pi_', 'x'.repeat(129), '..%2f..', "'--"]) {
      expect(refusalOf(await generateAddress(world.api, id))).toEqual({ status: 404, code: 'not_found' });
    }
  });

  it('without a key of its own: 400 missing_idempotency_key [spec 7 missing_idempotency_key]', async () => {
    const { id } = await createIntent(world.api);
    const answer = await fetch(`${world.url}/v1/payment-intents/${id}/generate-address`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.apiKey}` },
    });
    const { status, headers } = answer;
    const refusal = refusalOf({ status, headers, text: await answer.text() });
    expect(refusal).toEqual({ status: 400, code: 'missing_idempotency_key' });
    expect(await addressesGivenTo(id)).toBe(0);
  });
});

describe('many calls at once', () => {
  it('50 with one key: one effect, and the same bytes for all [C-29]', async () => {
    const { id } = await createIntent(world.api);
    const key = newKey();
    const answers = await times(50, () => generateAddress(world.api, id, key));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await addressesGivenTo(id)).toBe(1);
  });

  it('20 with keys of their own on one intent: one address [D-43]', async () => {
    const { id } = await createIntent(world.api);
    const answers = await times(20, () => generateAddress(world.api, id));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await addressesGivenTo(id)).toBe(1);
  });

  it('200 on as many intents: 200 addresses, no two alike, and no error [D-44]', async () => {
    const intents = await times(PARALLEL_INTENTS, () => createIntent(world.api));
    await eventually(freeAddresses, (free) => free >= PARALLEL_INTENTS);
    const answers = await Promise.all(intents.map(({ id }) => generateAddress(world.api, id)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(answers.map(({ body }) => addressOf(body))).size).toBe(PARALLEL_INTENTS);
  });
});

describe('the quote', () => {
  it('is locked with the address; a new one follows the price and is rounded up [spec 2.1 rule 1, token_price_cents] [E-59] [E-61]', async () => {
    const locked = await intentWithAddress(world.api, { amount_cents: 1999 });
    await priceBecomes('1.23456789', 123);
    const again = await generateAddress(world.api, locked.id);
    expect(again.body).toEqual(locked);

    const later = await intentWithAddress(world.api, { amount_cents: 1999 });
    // 19.99 / 1.23456789 = 16.19190...: a unit less would be worth less than the amount.
    const units = BigInt(later.crypto_amount ?? '');
    const cost = (amount: bigint): bigint => amount * 123_456_789n;
    const owed = 1999n * 10n ** 12n;
    expect(cost(units) >= owed && cost(units - 1n) < owed).toBe(true);
    expect(later.crypto_amount_decimal).toBe(`16.${later.crypto_amount?.slice(2)}`);
    expect(later.token_price_cents).toBe(123);
  });
});
