import { TronRestore } from '../../../test/support/tron-restore.js';
import { TronSweepScene } from '../../../test/support/tron-sweep-scene.js';
import { auditEntriesOf } from '../../../test/support/audit-entries.js';
import { endingAt, TronLiar, withoutBlock } from '../../../test/support/tron-liar.js';
import { StakeOperations } from '../../treasury/stakes/stake-operations.service.js';

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
const ALL = String(25n * DOLLAR);
const STAFF = { actor: 'alice@vault-1', reason: 'restored to 03:00' };

let scene: TronSweepScene;
let address: string;
let restored: TronRestore;
beforeEach(async () => {
  scene = await TronSweepScene.open(16_000n * TRX);
  restored = new TronRestore(scene);
  ({ address } = await scene.paid('USDT', 25n * DOLLAR));
});
afterEach(() => scene.close());

const newest = async () => (await scene.sweeps()).at(-1);
const lent = async () => (await scene.client.finalBalancesOf(scene.hotWallet, ['native'], 0)).lent;

const lostAfter = (work: () => Promise<unknown>) => restored.lostAfter(work);
const adopt: TronRestore['adopt'] = (txHashes, options) => restored.adopt(txHashes, options);
const goOn = () => restored.goOn();

describe('energy that a restored database does not know as lent [H-106]', () => {
  it('is adopted for the loan that waits for it, and its sweep goes on', async () => {
    await scene.plan();
    await scene.step();
    const unrecorded = await lostAfter(() => scene.step());
    const [loan] = await scene.query<{ id: string }>(`select id from energy_loan`);
    expect(await adopt(unrecorded)).toMatchObject([{ isNew: true, purpose: 'energy_loan', purposeId: loan?.id }]);
    expect(await adopt(unrecorded)).toMatchObject([{ isNew: false, purpose: 'energy_loan', purposeId: loan?.id }]);
    await goOn();
    expect(await newest()).toMatchObject({ lent: ['succeeded'] });
    await scene.step();
    await scene.step();
    expect(await newest()).toMatchObject({ status: ['succeeded'], swept: ALL, burned: '0', returned: ['succeeded'] });
    expect(await lent()).toBe(0n);
    await scene.expectBooksInOrder();
  });

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

describe('energy that has come back without a record [H-106]', () => {
  it('is adopted for the return that waits for it', async () => {
    await scene.plan();
    for (let step = 0; step < 3; step++) await scene.step();
    const unrecorded = await lostAfter(() => scene.step());
    expect(await restored.listed()).toEqual([expect.stringContaining(`TRX back from ${address}`)]);
    const [giving] = await scene.query<{ id: string }>(`select id from energy_return`);
    expect(await adopt(unrecorded)).toMatchObject([{ purpose: 'energy_return', purposeId: giving?.id }]);
    await goOn();
    expect(await newest()).toMatchObject({ swept: ALL, returned: ['succeeded'] });
    await scene.expectBooksInOrder();
  });

  it('ends a loan and its unsigned sweep, once the loan is in the books', async () => {
    await scene.plan();
    await scene.step();
    const unrecorded = await lostAfter(async () => {
      await scene.step();
      await scene.asOwner(`update sweep set waiting_reason = 'gas_missing', created_at = now() - interval '1 hour'`);
      await scene.asOwner(
        `update funding set finished_at = now() - interval '1 hour'`,
        `update energy_loan set finished_at = now() - interval '1 hour' where finished_at is not null`,
      );
      await scene.worker.giveUp();
      await scene.step();
    });
    const [loan = '', giving = ''] = unrecorded;
    expect(unrecorded).toHaveLength(2);
    await expect(adopt([giving])).rejects.toThrow('adopt the loan first');
    await adopt([loan]);
    await scene.confirm();
    await adopt([giving]);
    await goOn();
    expect(await newest()).toMatchObject({ lent: ['succeeded'], returned: ['succeeded'], status: [], swept: '0' });
    expect(await lent()).toBe(0n);
    await scene.expectBooksInOrder();
  });
});

describe('a stake that a restored database does not know [H-106]', () => {
  const STAKE = { move: 'stake', amount: 100n * TRX } as const;
  const operations = () => new StakeOperations(scene.base.db.database);
  const order = async () => (await operations().order(await scene.worker.chain(), STAKE, STAFF)).order.id;
  const ended = () => scene.query(`select id, succeeded, is_adopted from stake_order order by is_adopted`);

  it('is adopted for the order that waits for it, which stakes nothing more', async () => {
    await scene.worker.readBalances();
    const id = await order();
    const unrecorded = await lostAfter(() => scene.step());
    expect(await restored.listed()).toEqual([expect.stringContaining('It stakes 100 TRX for energy.')]);
    expect(await adopt(unrecorded)).toMatchObject([{ isNew: true, purpose: 'stake', purposeId: id }]);
    expect(await adopt(unrecorded)).toMatchObject([{ isNew: false, purpose: 'stake', purposeId: id }]);
    await goOn();
    await scene.step();
    expect(await ended()).toEqual([{ id, succeeded: true, is_adopted: false }]);
    expect((await scene.client.stakeOf(scene.hotWallet)).staked).toBe(16_100n * TRX);
    await scene.expectBooksInOrder();
  });

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
