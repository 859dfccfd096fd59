import type { SeededIntent } from '../../test/support/factories.js';
import { itPaysOrders } from '../../test/support/payer-cases.js';
import { PayerScene } from '../../test/support/payer-scene.js';
import { startTronDevChain, type TronDevChain } from '../devtools/devnet/tron/tron-dev-chain.js';
import { tronCoins, tronTokens } from '../devtools/devnet/tron/wallet-funding.js';

const UNIT = 10n ** 6n;
/** Longer than signed bytes are valid. */
const EXPIRED_MS = 100_000;

let scene: PayerScene<TronDevChain>;

beforeAll(async () => {
  scene = await PayerScene.open({ start, balanceOf });
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.chain.controls.resume();
  await scene.setUp();
});
afterEach(() => scene.db.drop());

const start = (dataDir: string): Promise<TronDevChain> =>
  startTronDevChain({ dataDir, preferredPort: 0, blockIntervalMs: 50, log: () => undefined });

async function balanceOf({ rpcUrl }: TronDevChain, { address, chain }: SeededIntent): Promise<bigint> {
  return chain.symbol === 'TRX' ? tronCoins(rpcUrl, address) : tronTokens(rpcUrl, chain.contract, address);
}

describe('an order of the sandbox on tron', () => {
  itPaysOrders(
    () => scene,
    [
      { symbol: 'USDC', amount: 25n * UNIT },
      { symbol: 'USDT', amount: 25n * UNIT },
      { symbol: 'TRX', amount: 100n * UNIT },
    ],
    { symbol: 'USDC', amount: UNIT },
  );

  it('is sent again with the same bytes when the chain dropped its block', async () => {
    const { intent, id, sent } = await scene.minedOrder('USDT', UNIT);
    await scene.chain.controls.fork(1, 'vanish');
    expect(await scene.balanceOf(intent)).toBe(0n);
    await scene.pay(id);
    expect(await scene.rowOf(id)).toEqual(sent);
    await scene.chain.controls.mine(3);
    expect(await scene.balanceOf(intent)).toBe(UNIT);
  });

  it('is signed again only when no block can have the first bytes any more', async () => {
    const { intent, id, sent } = await scene.minedOrder('USDT', UNIT);
    await scene.chain.controls.fork(1, 'vanish');
    await scene.chain.controls.advanceClock(EXPIRED_MS);
    await scene.chain.controls.mine(2);
    await scene.pay(id);
    // The last blocks that can have it are not final: the bytes stay, although the chain refuses them.
    expect(await scene.rowOf(id)).toEqual(sent);
    await scene.chain.controls.mine();
    await scene.pay(id);
    expect(await scene.rowOf(id)).toMatchObject({ status: 'queued', tx_hash: null, raw_transaction: null });
    await scene.chain.controls.resume();
    await scene.readAll();
    const { tx_hash: second } = await scene.untilStatus(id, 'final');
    expect(second).not.toBe(sent.tx_hash);
    expect(await scene.balanceOf(intent)).toBe(UNIT);
  });

  it('that the chain refuses at once fails, and delays no other', async () => {
    const intent = await scene.intentIn('TRX');
    const tooLarge = await scene.order(intent, 10n ** 18n);
    const next = await scene.order(intent, 50n * UNIT);
    await scene.pay(tooLarge);
    expect(await scene.rowOf(tooLarge)).toMatchObject({
      status: 'failed',
      failure: expect.stringMatching(/broadcasthex/),
    });
    await scene.pay(next);
    expect(await scene.untilHeld(intent, 50n * UNIT)).toBe(true);
  });

  it('that its contract refuses in a block fails', async () => {
    const id = await scene.order(await scene.intentIn('USDT'), 10n ** 18n);
    await scene.readAll();
    expect(await scene.untilStatus(id, 'failed')).toMatchObject({ failure: 'The transfer was reverted.' });
  });
});
