import type { Lie, ProxyNode } from '../../../test/support/proxy-node.js';
import {
  deaf,
  endingAt,
  endingEarly,
  knowingAll,
  knowingNone,
  misplacing,
  skipping,
  withoutBlock,
} from '../../../test/support/solana-lies.js';
import { type PaidMerchant, SolanaPayoutScene } from '../../../test/support/solana-payout-scene.js';

const DOLLAR = 1_000_000n;
/** An old block, whose whole lifetime is final. */
const OLD_BLOCKS = 200;

let scene: SolanaPayoutScene;
let nodes: readonly [ProxyNode, ProxyNode];
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await SolanaPayoutScene.funded();
  merchants = [...(await scene.merchants(5))];
  nodes = [await scene.base.proxy(null), await scene.base.proxy(null)];
});
afterAll(() => scene.close());

/** Starts a worker that asks both nodes, of which one or both lie. */
function workWith(first: Lie | null, second: Lie | null): void {
  nodes[0].lie = first;
  nodes[1].lie = second;
  scene.workThrough(nodes.map(({ url }) => url));
}

function nextMerchant(): PaidMerchant {
  const merchant = merchants.pop();
  if (merchant === undefined) throw new Error('No merchant is left.');
  return merchant;
}

const statuses = async (id: string) => (await scene.payouts(id)).map(({ status }) => status);

describe('an expired payment with two nodes', () => {
  let id: string;
  let named: number;
  beforeAll(async () => {
    workWith(null, null);
    ({ id } = await scene.order(nextMerchant()));
    await scene.sign();
    await scene.pastExpiry();
    const [row] = await scene.query<{ height: string }>(
      `select valid_after_height as height from chain_transaction where purpose_id = $1`,
      [id],
    );
    named = Number(row?.height);
  });

  const LIES: readonly (readonly [string, () => Lie])[] = [
    ['knows the transaction', () => knowingAll],
    ['lags by a block of the lifetime', () => endingAt(named + 151)],
    ['has dropped the first block', () => withoutBlock(named)],
    ['has dropped a block in between', () => withoutBlock(named + 80)],
    ['leaves out a block', () => skipping(named + 80)],
    ['does not answer', () => deaf('getBlocksWithLimit')],
  ];
  describe.each(LIES)('of which one %s', (_what, lie) => {
    it.each(['preferred', 'other'] as const)('is not freed, whether it is the %s one or not [I-118]', async (which) => {
      if (which === 'preferred') workWith(lie(), null);
      else workWith(null, lie());
      await scene.worker.confirm();
      expect(await statuses(id)).toEqual(['signed']);
    });
  });

  it('is freed once both agree, and the proof says so', async () => {
    workWith(null, null);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['expired']);
    expect(await scene.query(`select nodes from expiry_proof`)).toEqual([{ nodes: 2 }]);
  });
});

describe('a payment that was signed by a lie about its block', () => {
  it('with an understated lifetime is not freed while it may be mined', async () => {
    workWith(endingEarly(100), null);
    const { id, destination } = await scene.order(nextMerchant());
    await scene.sign();
    workWith(null, null);
    await scene.lab.controls.mine(70);
    await scene.makeFinal();
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    await scene.finish();
    expect(await statuses(id)).toEqual(['succeeded']);
    expect(await scene.balanceOf(destination, 'USDC')).toBe(DOLLAR);
  });

  it('with an old slot is not freed while it may be mined, not even by honest nodes', async () => {
    const { controls, rpc } = scene.lab;
    await controls.mine();
    const slot = Number(await rpc.getSlot({ commitment: 'finalized' }).send());
    const height = await scene.asking((client) => client.finalProgress());
    await controls.mine(OLD_BLOCKS);
    await scene.makeFinal();
    const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    workWith(misplacing(slot, height, value.blockhash), null);
    const { id, destination } = await scene.order(nextMerchant());
    await scene.sign();
    workWith(null, null);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    await scene.finish();
    expect(await statuses(id)).toEqual(['succeeded']);
    expect(await scene.balanceOf(destination, 'USDC')).toBe(DOLLAR);
  });
});

describe('a final payment of which one node knows nothing', () => {
  it.each(['preferred', 'other'] as const)('is recorded when that is the %s one', async (which) => {
    workWith(null, null);
    const { id } = await scene.order(nextMerchant());
    await scene.sign();
    await scene.worker.send();
    await scene.makeFinal();
    if (which === 'preferred') workWith(knowingNone, null);
    else workWith(null, knowingNone);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['succeeded']);
  });
});
