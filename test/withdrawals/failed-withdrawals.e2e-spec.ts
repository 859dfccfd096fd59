import { Wallet } from 'ethers';
import type { EventBody } from '../../src/events/event-envelope.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { makeFinal, newMerchant } from '../http/paying.js';
import { addKey, addMerchant } from '../http/tenants.js';
import type { ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { listAddress } from '../support/listed-address.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { startPayingWorld } from './paying-world.js';
import { payoutOf } from './payouts.js';
import {
  accepted,
  aPayee,
  entriesOf,
  filledPocket,
  freezeMerchant,
  getWithdrawal,
  pocketOn,
  previewOf,
  setPayee,
  untilBroadcast,
  untilEnded,
} from './withdrawals.js';

let world: World;
beforeAll(async () => {
  world = await startPayingWorld();
});
afterAll(() => world.stop());
afterEach(() => expectBooksInOrder(world.database));

/** Waits for the merchant's events about a withdrawal, and returns them, the oldest first. */
const eventsAbout = (api: ApiClient, id: string): Promise<EventBody[]> =>
  eventually(async () => {
    const { body } = await api.get<{ data: EventBody[] }>('/v1/events?limit=100');
    const about = body.data.filter(({ data }) => data['id'] === id);
    return about.length > 0 ? about.toReversed() : null;
  });

describe('a withdrawal that cannot be paid', () => {
  it.each([
    ['refuses it', 'reverts', 'destination_rejects'],
    ['needs more gas than it may carry', 'writes', 'destination_needs_gas'],
  ] as const)(
    'because the destination %s, fails unsigned: amount and fee are back, the merchant gets an event, the pocket is free [I-116]',
    async (_what, kind, code) => {
      const api = await newMerchant(world);
      const pocket = await filledPocket(world, { api, token: 'POL' });
      const destination = await aPayee(world, kind);
      const preview = await previewOf(api, pocket.id, { amount_cents: 100_000_000, destination });
      expect(preview).toMatchObject({ would_succeed: true, destination_simulated: false });
      const { id } = await accepted(api, pocket.id, { amount_cents: 100_000_000, destination });
      const failed = await untilEnded(api, id, 'failed');
      expect(failed).toMatchObject({ tx_hash: null, failure_code: code, completed_at: null });
      expect(failed.failure_message).toMatch(/\.$/);
      expect(await payoutOf(world.database, id)).toBeNull();
      await expectRefunded(api, failed);
      expect(await pocketOn(api, 'polygon', 'POL')).toMatchObject({ ...pocket, held_cents: 0 });
    },
  );

  it('because the chain reverts a payment that its simulation accepted, fails, and the destination is refused from then on [I-116]', async () => {
    const api = await newMerchant(world);
    const pocket = await filledPocket(world, { api, token: 'POL' });
    const destination = await aPayee(world, 'takes');
    const terms = { amount_cents: 100_000_000, destination };
    const chain = world.chain('polygon');
    await chain.setAutomine(false);
    const { id } = await accepted(api, pocket.id, terms);
    const { tx_hash } = await untilBroadcast(api, id);
    await setPayee(world, destination, 'reverts');
    await chain.setAutomine(true);
    await chain.mine();
    expect(await chain.waitUntilMined(tx_hash)).toMatchObject({ succeeded: false });
    await setPayee(world, destination, 'takes');
    await makeFinal(world);
    const failed = await untilEnded(api, id, 'failed');
    expect(failed).toMatchObject({ tx_hash, failure_code: 'transaction_reverted', completed_at: null });
    await expectRefunded(api, failed);
    const refused = await untilEnded(api, (await accepted(api, pocket.id, terms)).id, 'failed');
    expect(refused).toMatchObject({ tx_hash: null, failure_code: 'destination_rejects' });
    expect(await pocketOn(api, 'polygon', 'POL')).toMatchObject({ ...pocket, held_cents: 0 });
    const next = await accepted(api, pocket.id, { amount_cents: 100_000_000 });
    await untilBroadcast(api, next.id);
    await makeFinal(world);
    await untilEnded(api, next.id, 'completed');
  });

  it('because its destination was listed meanwhile, fails before anything is signed [I-120]', async () => {
    const merchantId = await addMerchant(world, 'Frozen for a while');
    const api = await addKey(world, merchantId, 'sandbox');
    const pocket = await filledPocket(world, { api });
    await freezeMerchant(world.database, merchantId, 'Somebody looks into it.');
    const destination = Wallet.createRandom().address;
    const created = await accepted(api, pocket.id, { destination });
    await eventually(
      () => waitingReason(created.id),
      (seen) => seen === 'merchant_frozen',
    );
    expect(await getWithdrawal(api, created.id)).toEqual(created);
    await listAddress(world.database, destination);
    await freezeMerchant(world.database, merchantId, null);
    const failed = await untilEnded(api, created.id, 'failed');
    expect(failed).toMatchObject({ tx_hash: null, failure_code: 'address_blocked' });
    await expectRefunded(api, failed);
    expect(await query(world.database, `select from chain_transaction where purpose_id = $1`, [created.id])).toEqual(
      [],
    );
  });

  const waitingReason = async (id: string): Promise<string | null> => {
    const [row] = await query<{ waiting_reason: string | null }>(
      world.database,
      `select waiting_reason from withdrawal where id = $1`,
      [id],
    );
    return row?.waiting_reason ?? null;
  };

  async function expectRefunded(api: ApiClient, failed: WithdrawalObject): Promise<void> {
    const [back, out] = await entriesOf(api, { id: failed.pocket_id });
    expect([back?.kind, out?.kind]).toEqual(['withdrawal_refund', 'withdrawal']);
    expect([back?.withdrawal_id, out?.withdrawal_id]).toEqual([failed.id, failed.id]);
    expect(back?.amount).toBe(String(-BigInt(out?.amount ?? 0)));
    const events = await eventsAbout(api, failed.id);
    expect(events).toMatchObject([{ type: 'withdrawal.failed', data: failed }]);
  }
});
