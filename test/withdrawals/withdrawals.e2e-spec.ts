import { Wallet } from 'ethers';
import { testTokenBalance } from '../../src/devnet/test-token.js';
import { startWorld, type World } from '../support/world.js';
import { filledPocket, pocketOn, untilEnded, withdraw } from './withdrawals.js';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

describe('a withdrawal', () => {
  it('is accepted, signed, sent and confirmed, and pays the destination [spec 3.2]', async () => {
    const pocket = await filledPocket(world);
    const destination = Wallet.createRandom().address;
    const { status, body } = await withdraw(world.api, pocket.id, { amount_cents: 12_345, destination });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'broadcasting', tx_hash: null, completed_at: null });
    expect((await pocketOn(world.api, 'polygon')).held_cents).toBe(12_345 + body.network_fee_cents);
    const completed = await untilEnded(world.api, body.id, 'completed');
    expect(completed.tx_hash).toMatch(/^0x[0-9a-f]{64}$/);
    const [chain] = world.service.stack?.devChains ?? [];
    const token = chain?.tokens['USDC']?.address ?? '';
    expect(await testTokenBalance(chain?.rpcUrl ?? '', token, destination)).toBe(123_450_000n);
    expect(await pocketOn(world.api, 'polygon')).toMatchObject({
      held_cents: 0,
      available_cents: pocket.available_cents - 12_345 - body.network_fee_cents,
    });
  });
});
