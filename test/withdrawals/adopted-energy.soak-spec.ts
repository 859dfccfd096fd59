import { StakeOperations } from '../../src/treasury/stakes/stake-operations.service.js';
import { auditEntriesOf } from '../support/audit-entries.js';
import { endingAt, TronLiar, withoutBlock } from '../support/tron-liar.js';
import { TronRestore } from '../support/tron-restore.js';
import { TronSweepScene } from '../support/tron-sweep-scene.js';

// The cases beside those of `src/recovery/expiring/adopted-energy.spec.ts`.

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
const ALL = String(25n * DOLLAR);
const STAFF = { actor: 'alice@vault-1', reason: 'restored to 03:00' };

let scene: TronSweepScene;
let restored: TronRestore;
beforeEach(async () => {
  scene = await TronSweepScene.open(16_000n * TRX);
  restored = new TronRestore(scene);
  await scene.paid('USDT', 25n * DOLLAR);
});
afterEach(() => scene.close());

const newest = async () => (await scene.sweeps()).at(-1);
const lent = async () => (await scene.client.finalBalancesOf(scene.hotWallet, ['native'], 0)).lent;

const lostAfter = (work: () => Promise<unknown>) => restored.lostAfter(work);
const adopt: TronRestore['adopt'] = (txHashes, options) => restored.adopt(txHashes, options);
const goOn = () => restored.goOn();

describe('energy that a restored database does not know as lent [H-106]', () => {
  it('is adopted without a sweep, and comes back, where the database is older than that', async () => {
    const unrecorded = await lostAfter(async () => {
      await scene.plan();
      await scene.step();
      await scene.step();
    });
    expect(await scene.query(`select from energy_loan`)).toEqual([]);
    const [funding = '', loan = ''] = unrecorded;
    expect(unrecorded).toHaveLength(2);
    expect(await adopt([funding], { asLoss: true })).toMatchObject([{ purpose: 'loss' }]);
    expect(await adopt([loan])).toMatchObject([{ purpose: 'energy_loan' }]);
    await goOn();
    expect(await lent()).toBeGreaterThan(0n);
    await scene.expectBooksInOrder();
    await scene.step();
    expect(await lent()).toBe(0n);
    await scene.expectBooksInOrder();
    await scene.plan();
    for (let step = 0; step < 4; step++) await scene.step();
    expect(await newest()).toMatchObject({ status: ['succeeded'], swept: ALL, returned: ['succeeded'] });
    await scene.expectBooksInOrder();
  });
});

describe('a stake that a restored database does not know [H-106]', () => {
  const STAKE = { move: 'stake', amount: 100n * TRX } as const;
  const operations = () => new StakeOperations(scene.base.db.database);
  const order = async () => (await operations().order(await scene.worker.chain(), STAKE, STAFF)).order.id;
  const ended = () => scene.query(`select id, succeeded, is_adopted from stake_order order by is_adopted`);

  it('gets an order where the database is older than that, or its owner made it beside the service', async () => {
    await scene.worker.readBalances();
    const unrecorded = await lostAfter(async () => {
      await order();
      await scene.step();
      await scene.unstake(50n * TRX);
      await scene.settle();
    });
    expect(unrecorded).toHaveLength(2);
    expect(await adopt(unrecorded)).toMatchObject([{ purpose: 'stake' }, { purpose: 'stake' }]);
    await goOn();
    expect(await scene.query(`select move, succeeded, is_adopted from stake_order order by move`)).toEqual([
      { move: 'stake', succeeded: true, is_adopted: true },
      { move: 'unstake', succeeded: true, is_adopted: true },
    ]);
    await scene.expectBooksInOrder();
  });

  it('ends the same order that is signed here, once the history of the hot wallet proves that one dead', async () => {
    await scene.worker.readBalances();
    const id = await order();
    await scene.sign();
    const [signed] = await scene.query<{ id: string; named: string }>(
      `select id, valid_after_height as named from chain_transaction where purpose = 'stake'`,
    );
    const unrecorded = await lostAfter(async () => {
      await scene.pastExpiry();
      await scene.worker.confirm();
      expect(await order()).not.toBe(id);
      await scene.step();
    });
    const says = `It stakes 100 TRX for energy. ${id} ordered the same, and another transaction is signed.`;
    expect(await restored.listed()).toEqual([expect.stringContaining(says)]);
    const nodes = [await TronLiar.start(scene.base.rig.url), await TronLiar.start(scene.base.rig.url)];
    try {
      await scene.restartWorker(nodes.map(({ url }) => url));
      for (const node of nodes) node.lie = endingAt(Number(signed?.named));
      await expect(adopt(unrecorded, { supersede: true })).rejects.toThrow();
      for (const node of nodes) node.lie = withoutBlock(Number(signed?.named));
      await scene.worker.confirm();
      expect(await ended()).toMatchObject([{ id, succeeded: null }]);
      expect(await adopt(unrecorded, { supersede: true })).toMatchObject([{ isNew: true, purpose: 'stake' }]);
    } finally {
      await scene.restartWorker();
      for (const node of nodes) await node.stop();
    }
    expect(await ended()).toMatchObject([
      { id, succeeded: false, is_adopted: false },
      { succeeded: null, is_adopted: true },
    ]);
    const [audit] = await auditEntriesOf(scene.base.db.database, signed?.id ?? '');
    expect(audit).toMatchObject({ action: 'transaction.supersede', details: { nodes: '2' } });
    await goOn();
    expect(await ended()).toMatchObject([{ succeeded: false }, { succeeded: true }]);
    expect((await scene.client.stakeOf(scene.hotWallet)).staked).toBe(16_100n * TRX);
    await scene.expectBooksInOrder();
  });
});
