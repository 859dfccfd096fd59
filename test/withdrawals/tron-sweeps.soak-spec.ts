import { type ShownSweep, TronSweepScene } from '../support/tron-sweep-scene.js';

// The cases beside those of `src/treasury/sweeps/funding/tron-sweeps.spec.ts`.

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

describe('sweeps on Tron', () => {
  it('are planned for several addresses at once, each in a transaction of its own', async () => {
    const intents = [await scene.paid('USDT', 25n * DOLLAR), await scene.paid('USDT', 26n * DOLLAR)];
    const trx = await scene.paid('TRX', 80n * TRX);
    const swept = await scene.sweep();
    expect(swept.map(({ status }) => status)).toEqual([['succeeded'], ['succeeded'], ['succeeded']]);
    for (const { address } of [...intents, trx]) expect(await usdtOf(address)).toBe(0n);
    expect(await usdtOf(scene.hotWallet)).toBe(51n * DOLLAR);
    await scene.expectBooksInOrder();
  });

  it('that have expired after their funding are planned again, and need no second one', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.sign();
    await scene.pastExpiry();
    expect(await scene.confirm()).toMatchObject([{ status: ['expired'], swept: '0', funded: ['succeeded'] }]);
    expect(await failures()).toEqual([0]);
    await scene.expectBooksInOrder();
    await scene.plan();
    const [, again] = await scene.step();
    expect(again).toMatchObject({ status: ['succeeded'], swept: ALL, funding: null });
    expect(await usdtOf(address)).toBe(0n);
    await scene.expectBooksInOrder();
  });

  it('of an address that is frozen after its funding fail, and keep the rest of it for later', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.base.rig.controls.blacklist('USDT', address);
    await scene.settle();
    const [failed] = await scene.step();
    expect(failed).toMatchObject({ status: ['reverted'], swept: '0' });
    expect(await coinsOf(address)).toBe(BigInt(failed?.funding ?? 0) - burnedBy(failed));
    await scene.expectBooksInOrder();
    await scene.base.rig.controls.unblacklist('USDT', address);
    await scene.settle();
    await scene.retry();
    const [, again] = await scene.sweep();
    expect(again).toMatchObject({ status: ['succeeded'], swept: ALL });
    expect(BigInt(again?.funding ?? 0)).toBe(burnedBy(failed));
    await scene.expectBooksInOrder();
  });

  it('leave what arrives meanwhile for the next one, which pays with what the first left', async () => {
    const intent = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.sign();
    const txHash = await scene.base.rig.controls.fund(intent.address, 'USDT', 20n * DOLLAR);
    await scene.send();
    const [first] = await scene.confirm();
    expect(first).toMatchObject({ status: ['succeeded'], swept: ALL });
    expect(await usdtOf(intent.address)).toBe(20n * DOLLAR);
    await scene.untilCredited(txHash);
    await scene.age(intent);
    await scene.expectBooksInOrder();
    const left = (await coinsOf(intent.address)) ?? 0n;
    const [, second] = await scene.sweep();
    expect(second).toMatchObject({ status: ['succeeded'], swept: String(20n * DOLLAR) });
    // Only what was missing.
    const [item] = await scene.query<{ cost_max: string }>(
      `select cost_max from sweep_item order by sweep_id desc limit 1`,
    );
    expect(BigInt(second?.funding ?? 0) + left).toBe(BigInt(item?.cost_max ?? 0));
    expect(await usdtOf(intent.address)).toBe(0n);
    await scene.expectBooksInOrder();
  });

  it('whose funding has expired are funded by another transaction', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.sign();
    await scene.pastExpiry();
    await scene.confirm();
    expect(await scene.sweeps()).toMatchObject([{ status: [], swept: null, funded: ['expired'] }]);
    await scene.step();
    const [swept] = await scene.step();
    expect(swept).toMatchObject({ status: ['succeeded'], swept: ALL, funded: ['expired', 'succeeded'] });
    expect(await usdtOf(address)).toBe(0n);
    await scene.expectBooksInOrder();
  });

  it('that wait for a funding which the hot wallet cannot pay give their balances back', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.query(`update hot_balance set amount = 0, height = height + 1000 where token_contract = 'native'`);
    await scene.plan();
    await scene.sign();
    const waiting = await scene.query(`select waiting_reason from funding`);
    expect(waiting).toEqual([{ waiting_reason: 'gas_missing' }]);
    await scene.asOwner(`update sweep set created_at = created_at - interval '3 minutes'`);
    await scene.worker.giveUp();
    expect(await scene.sweeps()).toMatchObject([{ swept: '0', status: [], funded: [] }]);
    expect(await scene.query(`select arrived from funding where finished_at is not null`)).toEqual([{ arrived: '0' }]);
    expect(await usdtOf(address)).toBe(25n * DOLLAR);
  });
});

describe('a database that was restored from before a funding', () => {
  it('credits none of it, and freezes the wallet', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    const { height, hash, finalizedHeight } = await scene.base.cursor();
    await scene.plan();
    await scene.step();
    expect(await coinsOf(address)).toBeGreaterThan(0n);
    await scene.base.stopListening();
    await scene.asOwner(
      `delete from vault_audit`,
      `delete from transaction_attempt`,
      `delete from chain_transaction`,
      `delete from funding`,
      `delete from sweep_item`,
      `delete from sweep`,
      `delete from seen_funding`,
      `delete from posting where entry_id in (select id from entry where reference like 'gas:%')`,
      `delete from deposit_balance where token_contract = 'native'`,
      `update deposit_balance set sweep_id = null`,
      `update hot_wallet set next_nonce = 0, chain_nonce = null, complete_height = ${finalizedHeight}`,
      `update chain_cursor set height = ${height}, hash = '${hash}', finalized_height = ${finalizedHeight}`,
    );
    scene.base.listen();
    for (let block = 0; block < 4; block++) await scene.settle();
    expect(await deposited()).toEqual([ALL]);
    await scene.worker.checkSent();
    const [wallet] = await scene.query<{ frozen_reason: string }>(`select frozen_reason from hot_wallet`);
    expect(wallet?.frozen_reason).toContain('not recorded here');
    expect(scene.base.log.named('An address holds less than the books say.')).toEqual([]);
  });
});
