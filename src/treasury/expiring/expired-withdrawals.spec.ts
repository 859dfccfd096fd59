import { z } from 'zod';
import { listAddress } from '../../../test/support/listed-address.js';
import { type PaidMerchant, SolanaPayoutScene } from '../../../test/support/solana-payout-scene.js';

const DOLLAR = 1_000_000n;

let scene: SolanaPayoutScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await SolanaPayoutScene.funded();
  merchants = [...(await scene.merchants(6))];
});
afterAll(() => scene.close());

/** An order of one dollar of another merchant, signed and not sent. */
async function signedOrder() {
  const merchant = merchants.pop();
  if (merchant === undefined) throw new Error('No merchant is left.');
  const destination = await scene.freshAddress();
  const { id } = await scene.order(merchant, { destination });
  await scene.sign();
  const [payout] = await scene.payouts(id);
  if (payout === undefined) throw new Error('The order was not signed.');
  return { id, destination, merchant, payout };
}

const statuses = async (id: string) => (await scene.payouts(id)).map(({ status }) => status);
const finalHeight = () => scene.asking((client) => client.finalProgress());

/** Makes blocks one by one until the newest final one has this height. */
async function untilFinalHeight(height: number): Promise<void> {
  while ((await finalHeight()) < height) await scene.lab.controls.mine();
}

describe('a payment whose bytes never reach a node', () => {
  it('is freed by the first final block past its expiry and not before, signed with other bytes, and paid once [I-118]', async () => {
    const { id, destination, payout } = await signedOrder();
    await untilFinalHeight(Number(payout.until));
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    await scene.lab.controls.mine();
    expect(await finalHeight()).toBe(Number(payout.until) + 1);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['expired']);
    expect(await scene.shown(id)).toMatchObject({ status: 'broadcasting', is_signed: false, tx_hash: null });
    expect(await scene.query(`select "until", nodes from expiry_proof where transaction_id = $1`, [payout.id])).toEqual(
      [{ until: payout.until, nodes: 1 }],
    );
    await scene.sign();
    const [, second] = await scene.payouts(id);
    expect(second?.tx_hash).not.toBe(payout.tx_hash);
    await scene.handOver(payout);
    await scene.finish();
    expect(await statuses(id)).toEqual(['expired', 'succeeded']);
    expect(await scene.shown(id)).toMatchObject({ status: 'completed', tx_hash: second?.tx_hash });
    expect(await scene.balanceOf(destination, 'USDC')).toBe(DOLLAR);
    expect(await scene.sent()).not.toContain(payout.tx_hash);
    expect(await scene.breaches()).toEqual([]);
  });

  it('is not signed again once its destination is listed: the money returns to the pocket', async () => {
    const { id, destination, merchant, payout } = await signedOrder();
    await listAddress(scene.database, destination, 'solana');
    await scene.pastExpiry();
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['expired']);
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ status: 'failed', failure_code: 'address_blocked' });
    expect(await scene.payouts(id)).toHaveLength(1);
    expect(await scene.availableTo(merchant)).toBe(25n * DOLLAR);
    await scene.handOver(payout);
    await scene.makeFinal();
    expect(await scene.balanceOf(destination, 'USDC')).toBe(0n);
    expect(await scene.breaches()).toEqual([]);
  });
});

describe('a payment that landed is never freed', () => {
  it('in the last block that may contain it [I-118]', async () => {
    const { id, destination, payout } = await signedOrder();
    const height = z.number();
    const newest = () => scene.lab.result(height, 'getBlockHeight', { commitment: 'processed' });
    while ((await newest()) < Number(payout.until) - 1) await scene.lab.controls.mine();
    expect(await scene.handOver(payout)).toBe(true);
    await scene.lab.controls.mine();
    await scene.pastExpiry();
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['succeeded']);
    expect(await scene.balanceOf(destination, 'USDC')).toBe(DOLLAR);
  });

  it('in another slot after a fork dropped its block', async () => {
    const { id, destination, payout } = await signedOrder();
    const { controls } = scene.lab;
    await scene.worker.send();
    const first = await controls.mine();
    await controls.fork(1);
    await controls.skip(2);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    await scene.worker.send();
    await controls.mine();
    await scene.pastExpiry();
    await scene.worker.confirm();
    const [ended] = await scene.payouts(id);
    expect(ended).toMatchObject({ status: 'succeeded', tx_hash: payout.tx_hash });
    expect(Number(ended?.mined_height)).toBeGreaterThan(first);
    expect(await scene.balanceOf(destination, 'USDC')).toBe(DOLLAR);
  });
});

describe('a payment that names a block which a fork dropped', () => {
  it('is freed by the blocks that follow its slot', async () => {
    const merchant = merchants.pop();
    if (merchant === undefined) throw new Error('No merchant is left.');
    await scene.lab.controls.mine();
    const { id, destination } = await scene.order(merchant);
    await scene.sign();
    await scene.lab.controls.fork(2);
    await scene.worker.send();
    await scene.pastExpiry();
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['expired']);
    await scene.sign();
    await scene.finish();
    expect(await statuses(id)).toEqual(['expired', 'succeeded']);
    expect(await scene.balanceOf(destination, 'USDC')).toBe(DOLLAR);
  });
});
