import { z } from 'zod';
import type { SeededIntent } from '../../test/support/factories.js';
import { itPaysOrders } from '../../test/support/payer-cases.js';
import { PayerScene } from '../../test/support/payer-scene.js';
import { askChain } from '../devtools/devnet/dev-rpc.js';
import { type SolanaDevChain, startSolanaDevChain } from '../devtools/devnet/solana/solana-dev-chain.js';

const USDC_UNIT = 10n ** 6n;
const SOL = 10n ** 9n;
/** More than can have a transaction of the newest block. */
const EXPIRED_BLOCKS = 170;

let scene: PayerScene<SolanaDevChain>;

beforeAll(async () => {
  scene = await PayerScene.open({ start, balanceOf });
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.chain.controls.resume();
  await scene.setUp();
});
afterEach(() => scene.db.drop());

const start = (dataDir: string): Promise<SolanaDevChain> =>
  startSolanaDevChain({ dataDir, preferredPort: 0, blockIntervalMs: 20, log: () => undefined });

const LAMPORTS = z.object({ value: z.number().transform(BigInt) });
const ACCOUNTS = z.object({
  value: z.array(
    z.object({
      account: z.object({
        data: z.object({
          parsed: z.object({ info: z.object({ tokenAmount: z.object({ amount: z.string().transform(BigInt) }) }) }),
        }),
      }),
    }),
  ),
});

async function balanceOf(
  { rpcUrl, tokens }: SolanaDevChain,
  { address, chain: { symbol } }: SeededIntent,
): Promise<bigint> {
  const config = { commitment: 'confirmed', encoding: 'jsonParsed' };
  if (symbol === 'SOL') return (await askChain(rpcUrl, LAMPORTS, 'getBalance', address, config)).value;
  const mint = tokens[symbol]?.address;
  const { value } = await askChain(rpcUrl, ACCOUNTS, 'getTokenAccountsByOwner', address, { mint }, config);
  return value.reduce((sum, { account }) => sum + account.data.parsed.info.tokenAmount.amount, 0n);
}

describe('an order of the sandbox on solana', () => {
  itPaysOrders(
    () => scene,
    [
      { symbol: 'USDC', amount: 25n * USDC_UNIT },
      { symbol: 'USDT', amount: 25n * USDC_UNIT },
      { symbol: 'SOL', amount: SOL },
    ],
    { symbol: 'USDC', amount: USDC_UNIT },
  );

  it('is sent again with the same bytes when the chain dropped its block', async () => {
    const { intent, id, sent } = await scene.minedOrder('USDC', USDC_UNIT);
    await scene.chain.controls.fork(1);
    await scene.chain.controls.mine();
    expect(await scene.balanceOf(intent)).toBe(0n);
    await scene.pay(id);
    expect(await scene.rowOf(id)).toEqual(sent);
    await scene.chain.controls.mine(3);
    expect(await scene.balanceOf(intent)).toBe(USDC_UNIT);
  });

  it('is signed again only when no block can have the first bytes any more', async () => {
    const { intent, id, sent } = await scene.minedOrder('USDC', USDC_UNIT);
    await scene.chain.controls.fork(1);
    await scene.chain.controls.mine(EXPIRED_BLOCKS - 20);
    await scene.pay(id);
    // The last blocks that can have it are not final: the bytes stay, although the chain refuses them.
    expect(await scene.rowOf(id)).toEqual(sent);
    await scene.chain.controls.mine(20);
    await scene.pay(id);
    expect(await scene.rowOf(id)).toMatchObject({ status: 'queued', tx_hash: null, raw_transaction: null });
    await scene.chain.controls.resume();
    await scene.readAll();
    const { tx_hash: second } = await scene.untilStatus(id, 'final');
    expect(second).not.toBe(sent.tx_hash);
    expect(await scene.balanceOf(intent)).toBe(USDC_UNIT);
  });

  it('that the chain refuses at once fails, and delays no other', async () => {
    const intent = await scene.intentIn('SOL');
    const tooLarge = await scene.order(intent, 10n ** 17n);
    const next = await scene.order(intent, SOL);
    await scene.pay(tooLarge);
    expect(await scene.rowOf(tooLarge)).toMatchObject({
      status: 'failed',
      failure: expect.stringMatching(/sendTransaction/),
    });
    await scene.pay(next);
    expect(await scene.untilHeld(intent, SOL)).toBe(true);
  });
});
