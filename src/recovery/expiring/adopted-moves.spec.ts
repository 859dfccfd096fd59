import type { SweptFunds } from '../../chains/expiring-sweeps.js';
import { SolanaLab } from '../../../test/support/solana-lab.js';
import { SolanaSweepScene } from '../../../test/support/solana-sweep-scene.js';
import { query } from '../../../test/support/sql.js';
import { NATIVE_COIN } from '../../domain/network.js';

const DOLLAR = 1_000_000n;
const SOL = 1_000_000_000n;
const RENT = 1_488_440n;

let lab: SolanaLab;
let scene: SolanaSweepScene;
beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  scene = await SolanaSweepScene.open(lab);
});
afterEach(() => scene.close());

const usdc = (amount: bigint, closesAccount = true): SweptFunds => {
  return { token: scene.token('USDC'), account: null, decimals: 6, amount, closesAccount };
};
const coins = (amount: bigint): SweptFunds => ({
  token: NATIVE_COIN,
  account: null,
  decimals: 9,
  amount,
  closesAccount: false,
});
const rents = () => scene.query<{ amount: string }>(`select amount from returned_rent order by amount`);

/** The worker finds what is missing, and freezes the wallet. */
async function expectFrozen(): Promise<void> {
  await scene.worker.checkSent();
  const [wallet] = await scene.query<{ frozen_reason: string | null }>(`select frozen_reason from hot_wallet`);
  expect(wallet?.frozen_reason).toContain('not recorded here');
}

/** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
async function expectBooksInOrder(): Promise<void> {
  await scene.query(`update hot_wallet set frozen_reason = null`);
  expect(await scene.compare()).toEqual([String(10n * SOL)]);
  expect(await scene.brokenRules()).toEqual([]);
  expect(await scene.query(`select from hot_wallet where frozen_reason is not null`)).toEqual([]);
}

describe('a sweep that a restored database does not have [H-106]', () => {
  it('is adopted with its items and the rent that it returned; the sweep that was planned again ends', async () => {
    const [first, second, third] = [
      await scene.paid('USDC', 25n * DOLLAR),
      await scene.paid('USDC', 26n * DOLLAR),
      await scene.paid('SOL', 25n * SOL),
    ];
    const [again] = await scene.plan();
    const lost = await scene.signedElsewhere([
      { owner: first.address, funds: [usdc(25n * DOLLAR)] },
      { owner: second.address, funds: [usdc(26n * DOLLAR)] },
      { owner: third.address, funds: [coins(25n * SOL)] },
    ]);
    const txHash = await scene.land(lost);
    await expectFrozen();
    const adopted = await scene.adopt(txHash);
    expect(adopted).toMatchObject({ purpose: 'sweep', isNew: true });
    expect(await scene.sweeps(`sweep.id = '${again?.id}'`)).toMatchObject([{ status: null, swept: ['0', '0', '0'] }]);
    expect(await scene.adopt(txHash)).toEqual({ ...adopted, isNew: false });
    const [, sweep] = await scene.confirm();
    const swept = [25n * DOLLAR, 26n * DOLLAR, 25n * SOL].map(String);
    expect(sweep).toMatchObject({ id: adopted.purposeId, status: 'succeeded', swept });
    // Two accounts were closed, and one of the hot wallet opened.
    expect(await rents()).toEqual([{ amount: String(RENT) }]);
    await expectBooksInOrder();
    expect(await scene.plan()).toEqual([]);
  });

  it('of an address that the database does not have is refused, and no loss', async () => {
    const { address } = await scene.paid('USDC', 25n * DOLLAR);
    const lost = await scene.signedElsewhere([{ owner: address, funds: [usdc(25n * DOLLAR)] }]);
    const txHash = await scene.land(lost);
    const hidden = `${address.startsWith('9') ? '8' : '9'}${address.slice(1)}`;
    await scene.scene.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(tx, `update pool_address set address_key = $2 where address = $1`, [address, hidden]);
    });
    await expect(scene.adopt(txHash, { asLoss: true })).rejects.toThrow(
      `It takes funds from ${address}, which is no address of this database: it is foreign, or was derived later.`,
    );
  });
});
