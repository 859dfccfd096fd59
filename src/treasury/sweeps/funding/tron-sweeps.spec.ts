import { eventuallyPasses } from '../../../../test/support/eventually.js';
import { type ShownSweep, TronSweepScene } from '../../../../test/support/tron-sweep-scene.js';
import { hexOfKey } from '../../../chains/tron/tron-address.js';

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
const ALL = String(25n * DOLLAR);

let scene: TronSweepScene;
beforeEach(async () => {
  scene = await TronSweepScene.open();
});
afterEach(() => scene.close());

const usdtOf = async (owner: string) => (await scene.holds(owner))[0];
const coinsOf = async (owner: string) => (await scene.holds(owner))[1];
const burnedBy = (sweep: ShownSweep | undefined): bigint => BigInt(sweep?.burned ?? -1);
const failures = async () =>
  (
    await scene.query<{ failures: number }>(`select failures from deposit_balance where token_contract <> 'native'`)
  ).map((balance) => balance.failures);

/** The deposits that count, by their amounts. */
const deposited = async (): Promise<string[]> => (await scene.base.deposits()).map(({ amount }) => amount);

// The others: `test/withdrawals/tron-sweeps.soak-spec.ts`.
describe('sweeps on Tron', () => {
  it('bring the USDT of an address that was never activated, which the hot wallet pays for', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    const [planned, ...others] = await scene.plan();
    expect(others).toEqual([]);
    expect(planned).toMatchObject({ reason: 'threshold', status: [], funded: [] });
    const [funded] = await scene.step();
    expect(funded).toMatchObject({ status: [], funded: ['succeeded'], waiting_reason: 'funding_not_final' });
    const coins = (await coinsOf(address)) ?? 0n;
    expect(String(coins)).toBe(funded?.funding);
    await scene.expectBooksInOrder();
    const [swept] = await scene.step();
    expect(swept).toMatchObject({ status: ['succeeded'], swept: ALL });
    expect(burnedBy(swept)).toBeGreaterThan(0n);
    expect(await scene.holds(address)).toEqual([0n, coins - burnedBy(swept)]);
    expect(await usdtOf(scene.hotWallet)).toBe(25n * DOLLAR);
    // The merchant got the tokens alone.
    expect(await deposited()).toEqual([ALL]);
    await scene.expectBooksInOrder();
  });

  it('of TRX empty the address, without a funding', async () => {
    const { address } = await scene.paid('TRX', 80n * TRX);
    await scene.plan();
    const [swept] = await scene.step();
    expect(swept).toMatchObject({ status: ['succeeded'], swept: String(80n * TRX), burned: '0', funding: null });
    expect(await scene.holds(address)).toEqual([0n, 0n]);
    await scene.expectBooksInOrder();
  });

  it('credit TRX that come to the address meanwhile, from a customer or a contract, and nothing of their own', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.sign();
    await scene.base.payThroughContract(address, 3n * TRX);
    await scene.send();
    await scene.confirm();
    await scene.sign();
    await scene.base.payThroughContract(address, 2n * TRX);
    await scene.base.rig.controls.fund(address, null, 1n * TRX);
    await scene.send();
    const [swept] = await scene.confirm();
    expect(swept).toMatchObject({ status: ['succeeded'], swept: ALL });
    await eventuallyPasses(async () => {
      await scene.settle();
      const coins = (await deposited()).filter((amount) => amount !== ALL);
      expect(coins.reduce((sum, amount) => sum + BigInt(amount), 0n)).toBe(6n * TRX);
    });
    for (let block = 0; block < 4; block++) await scene.settle();
    await scene.book();
    expect(await scene.coinsOf(address)).toEqual({
      received: String(6n * TRX),
      held: String(await coinsOf(address)),
    });
    await scene.expectBooksInOrder();
  });

  it('that run out of energy burn what they were funded with, and are funded again', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.base.rig.controls.setEnergyFactor(hexOfKey(scene.base.chain('USDT').contract), 30_000);
    const [failed] = await scene.step();
    expect(failed).toMatchObject({ status: ['reverted'], swept: '0' });
    expect(burnedBy(failed)).toBeGreaterThan(0n);
    expect(await usdtOf(address)).toBe(25n * DOLLAR);
    expect(await failures()).toEqual([1]);
    expect(await scene.plan()).toEqual([]);
    await scene.expectBooksInOrder();
    await scene.retry();
    const [, again] = await scene.sweep();
    expect(again).toMatchObject({ status: ['succeeded'], swept: ALL, funded: ['succeeded'] });
    expect(await failures()).toEqual([0]);
    await scene.expectBooksInOrder();
  });

  it('leave out an address that the issuer has frozen, and are set aside in the end', async () => {
    const [frozen, other] = [await scene.paid('USDT', 25n * DOLLAR), await scene.paid('USDT', 26n * DOLLAR)];
    await scene.base.rig.controls.blacklist('USDT', frozen.address);
    await scene.settle();
    expect(await scene.sweep()).toMatchObject([{ status: ['succeeded'], swept: String(26n * DOLLAR) }]);
    expect(await usdtOf(other.address)).toBe(0n);
    for (let times = 1; times < 3; times++) {
      await scene.retry();
      expect(await scene.plan()).toEqual([]);
    }
    const aside = await scene.query(
      `select set_aside_reason is not null as is_aside from deposit_balance where failures = 3`,
    );
    expect(aside).toEqual([{ is_aside: true }]);
    expect(await scene.query(`select from funding`)).toHaveLength(1);
    await scene.expectBooksInOrder();
  });

  it('fund no address that is not the vault’s own, whatever the rows say', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    const { faucet } = scene.base.rig;
    await scene.asOwner(
      `update pool_address set address = '${faucet.address}', address_key = '${faucet.address}' where address = '${address}'`,
    );
    await scene.sign();
    const [wallet] = await scene.query<{ frozen_reason: string }>(`select frozen_reason from hot_wallet`);
    expect(wallet?.frozen_reason).toContain('recipient');
    expect(await scene.query(`select from chain_transaction`)).toEqual([]);
  });

  it('of USDT wait while its issuer takes a fee of transfers, and those of TRX do not', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.paid('TRX', 80n * TRX);
    await scene.base.rig.controls.setTokenFee(10, 5);
    await scene.settle();
    await scene.plan();
    expect(await scene.step()).toMatchObject([{ status: ['succeeded'], swept: String(80n * TRX) }]);
    for (let times = 0; times < 3; times++) expect(await scene.plan()).toEqual([]);
    expect(await failures()).toEqual([0]);
    expect(await usdtOf(address)).toBe(25n * DOLLAR);
    await scene.expectBooksInOrder();
    await scene.base.rig.controls.setTokenFee(0, 0);
    await scene.settle();
    const [, swept] = await scene.sweep();
    expect(swept).toMatchObject({ status: ['succeeded'], swept: ALL });
    await scene.expectBooksInOrder();
  });
});
