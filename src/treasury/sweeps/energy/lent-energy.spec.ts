import { type ShownSweep, TronSweepScene } from '../../../../test/support/tron-sweep-scene.js';
import { hexOfKey } from '../../../chains/tron/tron-address.js';
import { lendableStake } from './lendable-stake.js';

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
const ALL = String(25n * DOLLAR);
/** Enough for several sweeps at once. */
const STAKE = 16_000n * TRX;

let scene: TronSweepScene;

const newest = async (): Promise<ShownSweep | undefined> => (await scene.sweeps()).at(-1);
const steps = async (count: number): Promise<ShownSweep | undefined> => {
  for (let step = 0; step < count; step++) await scene.step();
  return newest();
};
/** What the chain says is lent. */
const lent = async () => (await scene.client.finalBalancesOf(scene.hotWallet, ['native'], 0)).lent;

const finalHeight = async () => (await scene.base.cursor()).finalizedHeight;
/** What can be lent by a stake that was read at this block. */
const lendableAt = (height: number, withUnsigned: boolean) =>
  lendableStake(scene.base.db.database.em(), scene.chainRef, { stake: STAKE, height }, { withUnsigned });

// The others: `test/withdrawals/lent-energy.soak-spec.ts`.
describe('a sweep with lent energy', () => {
  beforeAll(async () => {
    scene = await TronSweepScene.open(STAKE);
  });
  afterAll(() => scene.close());

  it('burns nothing: its address is activated by a sun, borrows, is swept, and gives the energy back', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    const [planned] = await scene.plan();
    expect(planned).toMatchObject({ status: [], funding: '1', lent: [], returned: [] });
    expect(await steps(1)).toMatchObject({ funded: ['succeeded'], lent: [], waiting_reason: 'funding_not_final' });
    await scene.expectBooksInOrder();
    expect(await steps(1)).toMatchObject({ lent: ['succeeded'], status: [], waiting_reason: 'energy_not_final' });
    expect(String(await lent())).toBe(planned?.loan);
    await scene.expectBooksInOrder();
    expect(await steps(1)).toMatchObject({ status: ['succeeded'], swept: ALL, burned: '0', returned: [] });
    await scene.expectBooksInOrder();
    expect(await steps(1)).toMatchObject({ returned: ['succeeded'] });
    expect(await lent()).toBe(0n);
    expect(await scene.holds(address)).toEqual([0n, 1n]);
    await scene.expectBooksInOrder();
  });

  it('succeeds although energy costs nearly twice as much when it is mined', async () => {
    await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await steps(2);
    await scene.base.rig.controls.setEnergyPrice(190);
    expect(await steps(2)).toMatchObject({ status: ['succeeded'], swept: ALL, burned: '0', returned: ['succeeded'] });
    await scene.base.rig.controls.setEnergyPrice(100);
    await scene.expectBooksInOrder();
  });

  it('whose loan has expired is planned again by what is staked then [I-119]', async () => {
    await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.sign();
    await scene.pastExpiry();
    await scene.confirm();
    expect(await newest()).toMatchObject({ lent: ['expired'], swept: '0', status: [], returned: [] });
    await scene.expectBooksInOrder();
    // Not with a loan: what failed a moment ago may fail again.
    await scene.plan();
    expect(await newest()).toMatchObject({ loan: null });
    expect(await steps(2)).toMatchObject({ status: ['succeeded'], swept: ALL });
    await scene.expectBooksInOrder();
  });

  it('that runs out of energy gives it back, and its address pays for the next one [I-119]', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await steps(2);
    const contract = hexOfKey(scene.base.chain('USDT').contract);
    await scene.base.rig.controls.setEnergyFactor(contract, 30_000);
    expect(await steps(2)).toMatchObject({ status: ['reverted'], swept: '0', burned: '0', returned: ['succeeded'] });
    expect(await lent()).toBe(0n);
    await scene.expectBooksInOrder();
    await scene.retry();
    await scene.plan();
    expect(await newest()).toMatchObject({ loan: null });
    expect(await steps(2)).toMatchObject({ status: ['succeeded'], swept: ALL });
    expect((await scene.holds(address))[0]).toBe(0n);
    await scene.base.rig.controls.setEnergyFactor(contract, 0);
    await scene.expectBooksInOrder();
  });

  it('is one of several: together they borrow no more than the stake, and the others burn [I-119]', async () => {
    for (let nth = 0; nth < 7; nth++) await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    const open = (await scene.sweeps()).filter(({ swept }) => swept === null);
    const loans = open.flatMap(({ loan }) => (loan === null ? [] : [BigInt(loan)]));
    expect(open).toHaveLength(7);
    expect(loans.length).toBeGreaterThan(1);
    expect(loans.length).toBeLessThan(7);
    const sum = loans.reduce((total, one) => total + one, 0n);
    expect(sum).toBeLessThanOrEqual(STAKE);
    const before = await finalHeight();
    // By a stake that was read before: what is planned, signed or lent since is not lent again.
    expect([await lendableAt(before, true), await lendableAt(before, false)]).toEqual([STAKE - sum, STAKE]);
    await scene.step();
    await scene.sign();
    expect([await lendableAt(before, true), await lendableAt(before, false)]).toEqual([STAKE - sum, STAKE - sum]);
    await scene.send();
    await scene.confirm();
    expect([await lendableAt(before, false), await lendableAt(await finalHeight(), false)]).toEqual([
      STAKE - sum,
      STAKE,
    ]);
    await steps(2);
    const ended = (await scene.sweeps()).slice(-7);
    for (const { status, swept } of ended) expect([status, swept]).toEqual([['succeeded'], ALL]);
    for (const { loan, burned } of ended) expect(BigInt(burned ?? -1) === 0n).toBe(loan !== null);
    expect(await lent()).toBe(0n);
    await scene.expectBooksInOrder();
  });

  it('lends to no address that is not the vault’s own, whatever the rows say', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    const { faucet } = scene.base.rig;
    const move = (from: string, to: string) =>
      scene.asOwner(`update pool_address set address = '${to}', address_key = '${to}' where address = '${from}'`);
    await move(address, faucet.address);
    await scene.sign();
    const [wallet] = await scene.query<{ frozen_reason: string }>(`select frozen_reason from hot_wallet`);
    expect(wallet?.frozen_reason).toContain('borrower');
    expect(await newest()).toMatchObject({ lent: [], status: [] });
  });
});

describe('a stake that is gone', () => {
  beforeEach(async () => {
    scene = await TronSweepScene.open(STAKE);
  });
  afterEach(() => scene.close());

  it('before the loan is signed: the vault signs none, and the sweep is planned again [I-119]', async () => {
    await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.unstake(STAKE);
    await scene.settle();
    await scene.sign();
    const waiting = await scene.query(`select waiting_reason from energy_loan`);
    expect(waiting).toEqual([{ waiting_reason: 'energy_missing' }]);
    await scene.asOwner(
      `update sweep set created_at = created_at - interval '3 minutes'`,
      `update funding set finished_at = finished_at - interval '3 minutes'`,
    );
    await scene.worker.giveUp();
    expect(await newest()).toMatchObject({ swept: '0', status: [], lent: [], returned: [] });
    await scene.plan();
    expect(await newest()).toMatchObject({ loan: null });
    expect(await steps(2)).toMatchObject({ status: ['succeeded'], swept: ALL });
  });
});

describe('the audit of lent energy', () => {
  beforeAll(async () => {
    scene = await TronSweepScene.open(STAKE);
    await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await steps(4);
    await scene.expectBooksInOrder();
  });
  afterAll(() => scene.close());

  it.each<[what: string, change: string, back: string, broken: readonly string[]]>([
    [
      'lent another stake than its transaction did',
      `update energy_loan set stake = stake + 1, lent = lent + 1`,
      `update energy_loan set stake = stake - 1, lent = lent - 1`,
      ['payments_are_ordered', 'energy_is_lent_as_booked'],
    ],
    [
      'is open although its transaction is final',
      `update energy_loan set finished_at = null, lent = null, lent_height = null`,
      `update energy_loan set finished_at = now(), lent = stake, lent_height = 1`,
      ['loans_end_with_their_transactions', 'energy_is_lent_as_booked'],
    ],
    [
      'comes back by nothing',
      `update energy_return set returned = 0, returned_height = null`,
      `update energy_return set returned = stake, returned_height = 1`,
      ['returns_end_with_their_transactions', 'lent_energy_comes_back', 'energy_is_lent_as_booked'],
    ],
  ])('notices a loan that %s', async (_what, change, back, broken) => {
    await scene.asOwner(change);
    expect((await scene.brokenRules()).map((rule) => rule.split(':')[0])).toEqual(broken);
    await scene.asOwner(back);
    expect(await scene.brokenRules()).toEqual([]);
  });
});
