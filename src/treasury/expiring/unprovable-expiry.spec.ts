import { type PaidMerchant, SolanaPayoutScene } from '../../../test/support/solana-payout-scene.js';

/** As many as are proven in one round. */
const PROOFS_MAX = 10;

let scene: SolanaPayoutScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await SolanaPayoutScene.funded();
  merchants = [...(await scene.merchants(PROOFS_MAX + 2))];
});
afterAll(() => scene.close());

const statuses = async (id: string) => (await scene.payouts(id)).map(({ status }) => status);

async function signedOrders(count: number): Promise<readonly string[]> {
  const ids = [];
  for (const merchant of merchants.splice(0, count)) ids.push((await scene.order(merchant)).id);
  await scene.sign();
  return ids;
}

/** The node drops every block that is final now. */
async function dropHistory(): Promise<void> {
  await scene.lab.controls.truncateHistory(Number(await scene.lab.rpc.getSlot({ commitment: 'finalized' }).send()));
}

describe('expired payments whose blocks the node has dropped', () => {
  let unprovable: readonly string[];
  beforeAll(async () => {
    unprovable = await signedOrders(PROOFS_MAX);
    await scene.pastExpiry();
    await dropHistory();
  });

  it('are not freed, and delay neither the outcome nor the expiry of others', async () => {
    const [paid = ''] = await signedOrders(1);
    await scene.finish();
    expect(await statuses(paid)).toEqual(['succeeded']);
    const [expired = ''] = await signedOrders(1);
    await scene.pastExpiry();
    await scene.worker.confirm();
    await scene.worker.confirm();
    expect(await statuses(expired)).toEqual(['expired']);
    for (const id of unprovable) expect(await statuses(id)).toEqual(['signed']);
  });
});
