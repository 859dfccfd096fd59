import { TronRestore } from '../../../test/support/tron-restore.js';
import { TronSweepScene } from '../../../test/support/tron-sweep-scene.js';
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

// The others: `test/withdrawals/adopted-energy.soak-spec.ts`.
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
});
