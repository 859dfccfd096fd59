import type { EvmNetwork } from '../../src/domain/network.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import {
  addressOf,
  createIntent,
  generateAddress,
  getIntent,
  intentWithAddress,
  untilStatus,
} from '../http/intents.js';
import { eventsOf, expectBooksInOrder, pocketOf } from '../support/books.js';
import { runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { progressOf } from './watching.js';

let world: World;
/** Paid after the reorg, while no listener reads the chain. */
let waiting: PaymentIntentObject;

beforeAll(async () => {
  // Only this spec mines: a reorg must not run into a block of another one.
  world = await startWorld({ networks: ['polygon', 'bnb'], env: { DEV_BLOCK_INTERVAL_MS: '0' } });
});
afterAll(() => world.stop());
afterEach(() => expectBooksInOrder(world.database));

async function pay(intent: PaymentIntentObject, network: EvmNetwork): Promise<void> {
  const amount = BigInt(intent.crypto_amount ?? 0);
  await world.chain(network).pay({ to: addressOf(intent), token: 'USDC', amount });
}

/** Number of the newest blocks that are replaced. */
const REPLACED = 13;

describe('a reorg beyond finality', () => {
  it('halts its chain, credits nothing on it any more, and leaves the other chains alone [F-64]', async () => {
    const settled = await intentWithAddress(world.api, { network: 'polygon' });
    waiting = await intentWithAddress(world.api, { network: 'polygon' });
    await pay(settled, 'polygon');
    await world.chain('polygon').mine(12);
    await untilStatus(world.api, settled.id, 'completed');
    const pocket = await pocketOf(world.database, world.merchantId, 'polygon');

    // The block of the payment among them.
    await world.chain('polygon').replaceByEmptyBlocks(REPLACED);
    await eventually(async () => {
      const { body } = await world.api.get<{ data: { network: string; status: string }[] }>('/v1/networks');
      const shown = Object.fromEntries(body.data.map(({ network, status }) => [network, status]));
      expect(shown).toEqual({ polygon: 'disabled', bnb: 'ok' });
      return shown;
    });
    const read = await progressOf(world, 'polygon');
    await pay(waiting, 'polygon');
    await world.chain('polygon').mine(12);
    const other = await intentWithAddress(world.api, { network: 'bnb' });
    await pay(other, 'bnb');
    await world.chain('bnb').mine(5);
    await untilStatus(world.api, other.id, 'completed');
    expect(await progressOf(world, 'polygon')).toMatchObject({ height: read?.height, hash: read?.hash });
    expect((await getIntent(world.api, waiting.id)).status).toBe('requires_action');
    expect(await pocketOf(world.database, world.merchantId, 'polygon')).toBe(pocket);
    expect(await eventsOf(world.database, settled.id)).toEqual(['processing', 'payment_received', 'completed']);
  });

  it('learns of each credited deposit that was reorged: signing is frozen, and staff book it out [F-64]', async () => {
    const coffer = (...args: string[]) => runCommand(args, { DATABASE_URL: world.databaseUrl });
    const id = await eventually(async () => {
      const { code, out } = await coffer('deposits', 'reorged', '--json');
      return code === 0 ? null : String(JSON.parse(out).id);
    });
    const frozen = await query(
      world.database,
      `select wallet.frozen_reason from hot_wallet wallet join chain on chain.id = wallet.chain_ref
        where chain.network = 'polygon'`,
    );
    expect(frozen).toEqual([{ frozen_reason: 'Deposits that were final are gone from the chain.' }]);
    const pocket = await pocketOf(world.database, world.merchantId, 'polygon');
    expect(await coffer('deposits', 'reverse', id, '--reason', 'lost with its block')).toMatchObject({ code: 0 });
    const [owed] = await query<{ sum: string }>(
      world.database,
      `select sum(amount) from posting join account on account.id = account_id where kind = 'receivable'`,
    );
    expect(BigInt(owed?.sum ?? 0)).toBe(-pocket);
    expect(await pocketOf(world.database, world.merchantId, 'polygon')).toBe(pocket);
  });

  it('keeps addresses of the halted chain from being given out', async () => {
    const { id } = await createIntent(world.api, { network: 'polygon' });
    const answer = await generateAddress(world.api, id);
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ error: { code: 'network_unavailable' } });
  });

  it('is over once staff set the cursor back to a block that the chain has, and what was paid meanwhile counts [F-64]', async () => {
    await query(
      world.database,
      `update chain_cursor cursor set height = block.height, hash = block.hash, halted_reason = null
         from chain, chain_block block
        where chain.id = cursor.chain_ref and chain.network = 'polygon' and chain.active
          and block.chain_ref = cursor.chain_ref and block.height = cursor.height - $1`,
      [REPLACED],
    );
    await untilStatus(world.api, waiting.id, 'completed');
  });
});
