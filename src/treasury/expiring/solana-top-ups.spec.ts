import { changing, together } from '../../../test/support/solana-lies.js';
import { type PaidMerchant, SolanaPayoutScene } from '../../../test/support/solana-payout-scene.js';
import { NATIVE_COIN } from '../../domain/network.js';

const SOL = 1_000_000_000n;
const DOLLAR = 1_000_000n;
/** One signature, and 4,000 compute units at the lowest price. */
const FEE = 5_080n;

let scene: SolanaPayoutScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await SolanaPayoutScene.funded();
  merchants = [...(await scene.merchants(3))];
});
afterAll(() => scene.close());

async function signedOrder(): Promise<string> {
  const merchant = merchants.pop();
  if (merchant === undefined) throw new Error('No merchant is left.');
  const { id } = await scene.order(merchant);
  await scene.sign();
  return id;
}

/** Reads the final balances and compares them with the books, as two rounds of the jobs do. */
async function compare(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await scene.worker.bookTopUps();
    await scene.worker.readBalances();
  }
  await scene.worker.bookTopUps();
}

const topUps = () =>
  scene.query<{ token_contract: string; amount: string }>(`select token_contract, amount from top_up order by id`);

describe('a top-up of a hot wallet on Solana', () => {
  it('is booked once, with its amount, after the payments in flight have ended', async () => {
    const before = (await topUps()).length;
    const ids = [await signedOrder(), await signedOrder()];
    await scene.worker.send();
    await scene.lab.controls.mine();
    await scene.lab.controls.fund({ owner: scene.hotWallet, token: null, amount: 7n * SOL });
    await scene.lab.controls.fund({ owner: scene.hotWallet, token: 'USDC', amount: 3n * DOLLAR });
    await scene.makeFinal();
    await compare();
    expect(await topUps()).toHaveLength(before);
    await scene.worker.confirm();
    for (const id of ids) expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
    await compare();
    await compare();
    const usdc = scene.base.chain().contract;
    expect((await topUps()).slice(before)).toEqual(
      expect.arrayContaining([
        { token_contract: NATIVE_COIN, amount: String(7n * SOL) },
        { token_contract: usdc, amount: String(3n * DOLLAR) },
      ]),
    );
    expect(await topUps()).toHaveLength(before + 2);
    expect(await scene.breaches()).toEqual([]);
  });

  it('is booked with its amount although a payment has expired meanwhile', async () => {
    const before = (await topUps()).length;
    const id = await signedOrder();
    await scene.lab.controls.fund({ owner: scene.hotWallet, token: null, amount: 2n * SOL });
    await scene.makeFinal();
    await compare();
    expect(await topUps()).toHaveLength(before);
    await scene.pastExpiry();
    await scene.worker.confirm();
    await compare();
    expect((await topUps()).slice(before)).toEqual([{ token_contract: NATIVE_COIN, amount: String(2n * SOL) }]);
    await scene.sign();
    await scene.finish();
    await compare();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
    expect(await topUps()).toHaveLength(before + 1);
  });
});

describe('coins that left a hot wallet by an unrecorded transaction', () => {
  it('are not compared before it is recorded: a top-up waits as well, and the wallet is frozen [H-106]', async () => {
    const before = (await topUps()).length;
    const freeze = await scene.frozenReason();
    expect(freeze).toBeNull();
    await scene.handOver(await scene.signedElsewhere(await scene.freshAddress(), SOL));
    await scene.lab.controls.fund({ owner: scene.hotWallet, token: 'USDC', amount: DOLLAR });
    await scene.makeFinal();
    await compare();
    expect(await scene.frozenReason()).toContain('not recorded here');
    expect(scene.base.log.named('Funds are missing from a hot wallet.')).toEqual([]);
    expect(await topUps()).toHaveLength(before);
  });

  it('are reported as missing and not booked where the node conceals it, and a smaller top-up makes up for a part [H-107]', async () => {
    const concealing = together(
      changing('getSignaturesForAddress', () => []),
      changing('getFirstAvailableBlock', () => 0),
    );
    scene.workThrough([(await scene.base.proxy(concealing)).url]);
    await compare();
    const before = (await topUps()).length;
    await scene.handOver(await scene.signedElsewhere(await scene.freshAddress(), 4n * SOL));
    await scene.makeFinal();
    await compare();
    const missing = () => scene.base.log.named('Funds are missing from a hot wallet.').map((line) => line['missing']);
    expect(missing().at(-1)).toBe(String(5n * SOL + 2n * FEE));
    await scene.lab.controls.fund({ owner: scene.hotWallet, token: null, amount: 2n * SOL });
    await scene.makeFinal();
    await compare();
    expect(missing().at(-1)).toBe(String(3n * SOL + 2n * FEE));
    expect(await topUps()).toHaveLength(before);
  });
});
