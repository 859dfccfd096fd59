import type { EvmNetwork } from '../../src/domain/network.js';
import type { PaymentIntentObject } from '../../src/intents/payment-intent.schema.js';
import {
  addressOf,
  createIntent,
  generateAddress,
  getIntent,
  intentWithAddress,
  untilStatus,
} from '../http/intents.js';
import { eventsOf, expectBooksInOrder, pocketOf } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { startWorld, type World } from '../support/world.js';
import { progressOf } from './watching.js';

let world: World;

beforeAll(async () => {
  // Nobody mines but this spec: a reorg must not run into a block of somebody else.
  world = await startWorld({ networks: ['polygon', 'bnb'], env: { DEV_BLOCK_INTERVAL_MS: '0' } });
});
afterAll(() => world.stop());
afterEach(() => expectBooksInOrder(world.database));

async function pay(intent: PaymentIntentObject, network: EvmNetwork): Promise<void> {
  const amount = BigInt(intent.crypto_amount ?? 0);
  await world.chain(network).pay({ to: addressOf(intent), token: 'USDC', amount });
}

describe('a reorg beyond finality', () => {
  it('halts its chain, credits nothing on it any more, and leaves the other chains alone [F-64]', async () => {
    const settled = await intentWithAddress(world.api, { network: 'polygon' });
    const waiting = await intentWithAddress(world.api, { network: 'polygon' });
    await pay(settled, 'polygon');
    await world.chain('polygon').mine(12);
    await untilStatus(world.api, settled.id, 'completed');
    const pocket = await pocketOf(world.database, world.merchantId, 'polygon');

    await world.chain('polygon').replaceByEmptyBlocks(12);
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

  it('keeps addresses of the halted chain from being given out', async () => {
    const { id } = await createIntent(world.api, { network: 'polygon' });
    const answer = await generateAddress(world.api, id);
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ error: { code: 'network_unavailable' } });
  });
});
