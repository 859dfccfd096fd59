import { SolanaAdoptionScene } from '../../../test/support/solana-adoption-scene.js';
import { changing, together } from '../../../test/support/solana-lies.js';
import type { PaidMerchant } from '../../../test/support/solana-payout-scene.js';
import { auditEntriesOf } from '../../../test/support/audit-entries.js';

const SUPERSEDE = { supersede: true };
/** Blocks before the newest one: those after which a payment expires. */
const ENDS_EARLIER = 40;

let scene: SolanaAdoptionScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await SolanaAdoptionScene.open();
  merchants = [...(await scene.payouts.merchants(18))];
});
afterAll(() => scene.close());
beforeEach(() => scene.payouts.workThrough());

function merchant(): PaidMerchant {
  const next = merchants.pop();
  if (next === undefined) throw new Error('No merchant is left.');
  return next;
}

/**
 * An order that the restored database shows as signed. Its bytes were never mined, so the original database has signed it
 * again: that payment is on the chain, and not recorded.
 */
async function signedTwice() {
  const { payouts } = scene;
  const { id } = await payouts.order(merchant());
  await payouts.sign();
  const [recorded] = await payouts.payouts(id);
  if (recorded === undefined) throw new Error('It is signed.');
  const paid = await scene.land(await scene.lostPayment(id));
  await scene.restart();
  return { id, recorded, paid };
}

describe('an order that the restored database shows as signed [H-106]', () => {
  it('is not paid by an unrecorded transaction while its own may be mined: then that one is a loss', async () => {
    const { payouts } = scene;
    const { id, recorded, paid } = await signedTwice();
    await expect(scene.adopt(paid)).rejects.toThrow(
      `${id} asked for the same, and what was signed for it is not final yet: try again once it is.`,
    );
    await expect(scene.adopt(paid, SUPERSEDE)).rejects.toThrow(
      `${recorded.id}, ${recorded.tx_hash}, was signed here for the same, and the nodes do not prove that it is never mined`,
    );
    await expect(scene.adopt(paid, { asLoss: true })).rejects.toThrow('not final yet');
    // Its bytes may be in some node still.
    await payouts.finish();
    expect(await payouts.shown(id)).toMatchObject({ status: 'completed', tx_hash: recorded.tx_hash });
    await expect(scene.adopt(paid, SUPERSEDE)).rejects.toThrow('No withdrawal or refund order matches');
    expect(await scene.adopt(paid, { asLoss: true })).toMatchObject({ purpose: 'loss' });
    await scene.goOn(merchant());
    expect(await scene.sentFor(id)).toEqual(['succeeded']);
  });

  it('is paid by it once its own is proven to have expired, and is not signed again in between', async () => {
    const { payouts } = scene;
    const { id, paid } = await signedTwice();
    await payouts.pastExpiry();
    await payouts.worker.confirm();
    expect(await scene.sentFor(id)).toEqual(['expired']);
    await payouts.sign();
    expect(await payouts.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'wallet_frozen' });
    expect(await scene.adopt(paid)).toMatchObject({ purpose: 'withdrawal', purposeId: id });
    await scene.goOn(merchant());
    expect(await payouts.shown(id)).toMatchObject({ status: 'completed', tx_hash: paid });
    expect(await scene.sentFor(id)).toEqual(['expired', 'succeeded']);
  });

  it('is paid by it once the history of the hot wallet proves that, where no node has the blocks any more', async () => {
    const { payouts } = scene;
    const { id, recorded, paid } = await signedTwice();
    const nodes = [await payouts.base.proxy(null), await payouts.base.proxy(null)];
    for (const node of nodes) node.lie = withoutSignatures;
    payouts.workThrough(nodes.map(({ url }) => url));
    await payouts.pastExpiry();
    await payouts.worker.confirm();
    expect(await scene.sentFor(id)).toEqual(['signed']);
    await expect(scene.adopt(paid)).rejects.toThrow(
      'It expires by itself; where no node can prove that any more, --supersede proves it by the history of the hot wallet.',
    );
    const adopted = await scene.adopt(paid, SUPERSEDE);
    expect(adopted).toMatchObject({ purpose: 'withdrawal', purposeId: id, isNew: true });
    expect(await scene.sentFor(id)).toEqual(['expired', 'signed']);
    const [audit] = await auditEntriesOf(payouts.database, recorded.id);
    expect(audit).toMatchObject({ action: 'transaction.supersede', details: { hash: recorded.tx_hash, nodes: '2' } });
    expect(await payouts.frozenReason()).toContain('adopt every unrecorded transaction before more is signed');
    payouts.workThrough();
    await scene.goOn(merchant());
    expect(await payouts.shown(id)).toMatchObject({ status: 'completed', tx_hash: paid });
  });

  it.each([
    [
      'does not have the whole history',
      together(
        changing('getSignaturesForAddress', () => []),
        changing('getFirstAvailableBlock', () => 10 ** 9),
      ),
    ],
    ['shows it as mined', changing('getSignatureStatuses', shownAll)],
    ['is behind its expiry', changing('getBlockHeight', () => 1)],
    ['has a history that ends before its expiry', changing('getSlot', (slot: number) => slot - ENDS_EARLIER)],
  ])('stays signed while one of two nodes %s', async (_what, lie) => {
    const { payouts } = scene;
    const { id, paid } = await signedTwice();
    const [honest, wrong] = [await payouts.base.proxy(null), await payouts.base.proxy(null)];
    payouts.workThrough([honest.url, wrong.url]);
    await payouts.pastExpiry();
    wrong.lie = lie;
    await expect(scene.adopt(paid, SUPERSEDE)).rejects.toThrow('the nodes do not prove that it is never mined');
    expect(await scene.sentFor(id)).toEqual(['signed']);
    payouts.workThrough();
    await payouts.worker.confirm();
    await scene.adopt(paid);
    await scene.goOn(merchant());
  });
});

describe('with two nodes, a transaction', () => {
  it('of which they say different things is not adopted, nor one that only one of them has', async () => {
    const { payouts } = scene;
    const { id } = await payouts.order(merchant());
    const txHash = await scene.land(await scene.lostPayment(id));
    await scene.restart();
    const [honest, wrong] = [await payouts.base.proxy(null), await payouts.base.proxy(null)];
    payouts.workThrough([honest.url, wrong.url]);
    wrong.lie = changing('getTransaction', (answer: { slot: number }) => ({ ...answer, slot: answer.slot - 1 }));
    await expect(scene.adopt(txHash)).rejects.toThrow('The nodes do not agree on what it did');
    wrong.lie = changing('getTransaction', () => null);
    await expect(scene.adopt(txHash)).rejects.toThrow('Only one node has it in a final block');
    expect(await payouts.payouts(id)).toEqual([]);
    wrong.lie = null;
    expect(await scene.adopt(txHash)).toMatchObject({ purposeId: id });
    await scene.goOn(merchant());
  });

  it('that was adopted as a loss ends only once both say what it took', async () => {
    const { payouts } = scene;
    const token = payouts.base.chain('USDC').contract;
    const txHash = await scene.land(await scene.paymentElsewhere(await payouts.freshAddress(), token, 3_000_000n));
    await scene.restart();
    const { purposeId } = await scene.adopt(txHash, { asLoss: true });
    const [honest, wrong] = [await payouts.base.proxy(null), await payouts.base.proxy(null)];
    payouts.workThrough([honest.url, wrong.url]);
    wrong.lie = changing('getTransaction', () => null);
    await payouts.worker.confirm();
    expect(await scene.sentFor(purposeId)).toEqual(['signed']);
    wrong.lie = changing('getTransaction', (answer: { meta: object }) => {
      return { ...answer, meta: { ...answer.meta, postTokenBalances: [], preTokenBalances: [] } };
    });
    await payouts.worker.confirm();
    expect(await scene.sentFor(purposeId)).toEqual(['signed']);
    wrong.lie = null;
    await payouts.worker.confirm();
    expect(await scene.sentFor(purposeId)).toEqual(['succeeded']);
    const items = `select loss_item.amount from loss_item join chain_transaction sent on sent.id = transaction_id
                    where purpose_id = $1`;
    expect(await payouts.query(items, [purposeId])).toEqual([{ amount: '3000000' }]);
    payouts.workThrough();
    await scene.goOn(merchant());
  });
});

/** The node has no block of which it could prove what is in it. */
const withoutSignatures = changing('getBlock', (block: { signatures?: unknown }) =>
  block.signatures === undefined ? block : null,
);

function shownAll({ value, ...answer }: { value: readonly unknown[] }) {
  return { ...answer, value: value.map(() => ({ slot: 1, confirmations: null, err: null })) };
}
