import { type PaidMerchant, BLOCKS_OF_LIFE, TronPayoutScene } from '../../../test/support/tron-payout-scene.js';
import {
  endingAt,
  forgedBlock,
  forkingAbove,
  hidingTransactions,
  knowingNone,
  knowingNothing,
  type TronLie,
  type TronLiar,
  withoutBlock,
} from '../../../test/support/tron-liar.js';
import { SOLIDITY_DISTANCE } from '../../../test/support/tron-scene.js';
import { TRON_FAULTS } from '../../devtools/chaos/tron-faults.js';

const DOLLAR = 1_000_000n;
const honest: TronLie = (_path, answer) => answer;

let scene: TronPayoutScene;
let nodes: readonly [TronLiar, TronLiar];
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await TronPayoutScene.funded();
  merchants = [...(await scene.merchants(10))];
  nodes = [await scene.liar(), await scene.liar()];
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

/** Starts a worker that asks both nodes, of which one or both lie. */
function workWith(first: TronLie, second: TronLie): void {
  nodes[0].lie = first;
  nodes[1].lie = second;
  scene.workThrough(nodes.map(({ url }) => url));
}

describe('a payment on Tron whose bytes never reach a node', () => {
  it('is freed by the first final block at its expiration and not before, signed with other bytes, and paid once [I-118]', async () => {
    const { id, destination, payout } = await signedOrder();
    const expiration = Number(payout.until) + 1;
    await scene.untilFinalTime(expiration - 3_000);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    await scene.controls.mine();
    expect(await scene.asking((client) => client.finalProgress())).toBe(expiration);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['expired']);
    expect(await scene.shown(id)).toMatchObject({ status: 'broadcasting', is_signed: false, tx_hash: null });
    expect(await scene.query(`select "until", nodes from expiry_proof where transaction_id = $1`, [payout.id])).toEqual(
      [{ until: payout.until, nodes: 1 }],
    );
    await scene.sign();
    const [, second] = await scene.payouts(id);
    expect(second?.tx_hash).not.toBe(payout.tx_hash);
    expect(await scene.handOver(payout)).toBe(false);
    await scene.finish();
    expect(await statuses(id)).toEqual(['expired', 'succeeded']);
    expect(await scene.shown(id)).toMatchObject({ status: 'completed', tx_hash: second?.tx_hash });
    expect(await scene.balanceOf(destination, 'USDT')).toBe(DOLLAR);
    expect(await scene.sent()).not.toContain(payout.tx_hash);
    expect(await scene.breaches()).toEqual([]);
  });
});

describe('a payment on Tron that landed is never freed', () => {
  it('in the last block that may contain it [I-118]', async () => {
    const { id, destination, payout } = await signedOrder();
    await scene.controls.mine(BLOCKS_OF_LIFE - 1);
    expect(await scene.handOver(payout)).toBe(true);
    await scene.controls.mine();
    await scene.pastExpiry();
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['succeeded']);
    expect(await scene.balanceOf(destination, 'USDT')).toBe(DOLLAR);
  });

  it('in another block after a micro fork dropped its own', async () => {
    const { id, destination, payout } = await signedOrder();
    await scene.worker.send();
    const { head: first } = await scene.controls.mine();
    await scene.controls.fork(1, 'vanish');
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    await scene.controls.mine(2);
    await scene.worker.send();
    await scene.pastExpiry();
    await scene.worker.confirm();
    const [ended] = await scene.payouts(id);
    expect(ended).toMatchObject({ status: 'succeeded', tx_hash: payout.tx_hash });
    expect(Number(ended?.mined_height)).toBeGreaterThan(first);
    expect(await scene.balanceOf(destination, 'USDT')).toBe(DOLLAR);
    expect(await scene.breaches()).toEqual([]);
  });
});

describe('an expired payment on Tron with two nodes', () => {
  let id: string;
  let named: number;
  beforeAll(async () => {
    ({ id } = await signedOrder());
    await scene.pastExpiry();
    const [row] = await scene.query<{ height: string }>(
      `select valid_after_height as height from chain_transaction where purpose_id = $1`,
      [id],
    );
    named = Number(row?.height);
  });

  const LIES: readonly (readonly [string, () => TronLie])[] = [
    ['knows nothing', () => knowingNothing],
    ['lags by a block of the lifetime', () => endingAt(named + BLOCKS_OF_LIFE)],
    ['has dropped the named block', () => withoutBlock(named)],
    ['has dropped a block in between', () => withoutBlock(named + 10)],
  ];
  describe.each(LIES)('of which one %s', (_what, lie) => {
    it.each(['preferred', 'other'] as const)('is not freed, whether it is the %s one or not [I-118]', async (which) => {
      if (which === 'preferred') workWith(lie(), honest);
      else workWith(honest, lie());
      await scene.worker.confirm();
      expect(await statuses(id)).toEqual(['signed']);
    });
  });

  it('is freed once both agree, and the proof says so', async () => {
    workWith(honest, honest);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['expired']);
    expect(await scene.query(`select nodes from expiry_proof order by proven_at desc limit 1`)).toEqual([{ nodes: 2 }]);
  });
});

describe('a payment on Tron that may still be mined', () => {
  it('is not freed by an only node whose clock runs ahead, and is paid once [I-118]', async () => {
    scene.workThrough();
    const { id, destination, payout } = await signedOrder();
    const clockAhead = TRON_FAULTS.filter(({ name }) => name === 'clock-ahead');
    const proxy = await scene.base.proxy(...clockAhead);
    scene.workThrough([proxy.url]);
    // By that clock, which is a minute ahead, the expiration is final; it is not by the chain.
    await scene.controls.mine(BLOCKS_OF_LIFE - 20 + SOLIDITY_DISTANCE + 2);
    await scene.worker.confirm();
    expect(proxy.hits.get('clock-ahead')).toBeGreaterThan(0);
    expect(await statuses(id)).toEqual(['signed']);
    await scene.sign();
    expect(await scene.handOver(payout)).toBe(true);
    scene.workThrough();
    await scene.finish();
    expect(await statuses(id)).toEqual(['succeeded']);
    expect(await scene.balanceOf(destination, 'USDT')).toBe(DOLLAR);
    expect(await scene.breaches()).toEqual([]);
  });

  it('is not freed by a node that makes later blocks up, while another one has those of the chain [I-118]', async () => {
    workWith(honest, honest);
    const { id, destination, payout } = await signedOrder();
    const { solid } = await scene.controls.info();
    await scene.controls.mine(SOLIDITY_DISTANCE + 1);
    workWith(
      forkingAbove(solid, ({ timestamp }) => ({ timestamp: timestamp + 3_000 * BLOCKS_OF_LIFE })),
      honest,
    );
    expect(await scene.asking((client) => client.finalProgress())).toBeLessThan(Number(payout.until));
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    workWith(honest, honest);
    await scene.finish();
    expect(await statuses(id)).toEqual(['succeeded']);
    expect(await scene.balanceOf(destination, 'USDT')).toBe(DOLLAR);
  });
});

describe('a final payment on Tron', () => {
  it.each(['preferred', 'other'] as const)(
    'of which one node knows nothing is recorded when that is the %s one',
    async (which) => {
      workWith(honest, honest);
      const { id } = await signedOrder();
      await scene.worker.send();
      await scene.makeFinal();
      if (which === 'preferred') workWith(knowingNone, honest);
      else workWith(honest, knowingNone);
      await scene.worker.confirm();
      expect(await statuses(id)).toEqual(['succeeded']);
    },
  );

  it('is not freed by a node that hides it everywhere, while another one has it [I-118]', async () => {
    workWith(honest, honest);
    const { id } = await signedOrder();
    await scene.worker.send();
    await scene.pastExpiry();
    workWith(hidingTransactions, endingAt(0));
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    workWith(hidingTransactions, honest);
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['succeeded']);
    scene.workThrough();
  });
});

describe('a payment on Tron that was signed by a lie about the solid block', () => {
  /** All blocks but the first have other hashes at this node. */
  const elsewhere: TronLie = (path, answer) => {
    if (!path.endsWith('/getblock') || !JSON.stringify(answer).includes('"number"')) return answer;
    return forgedBlock(answer, () => ({ txTrieRoot: 'ab'.repeat(32) }));
  };

  it('is mined nowhere, and no block proves that: it stays, and nothing is signed instead of it', async () => {
    workWith(elsewhere, elsewhere);
    const { id, payout } = await signedOrder();
    scene.workThrough();
    expect(await scene.handOver(payout)).toBe(false);
    await scene.pastExpiry();
    await scene.worker.confirm();
    expect(await statuses(id)).toEqual(['signed']);
    expect(await scene.shown(id)).toMatchObject({ status: 'broadcasting', is_signed: true });
  });
});
