import type { SeededChain } from '../../../test/support/factories.js';
import { aPriceSnapshot } from '../../../test/support/factories.js';
import { hotWalletCap } from '../../../test/support/hot-wallet-cap.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { query } from '../../../test/support/sql.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { NATIVE_COIN } from '../../domain/network.js';

const COIN = 10n ** 18n;
const DOLLAR = 10n ** 6n;
const CAP_CENTS = 100_000;

let scene: PayoutScene;
let chain: SeededChain;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
  await aPriceSnapshot(scene.database, { USDC: '1', USDT: '1', POL: '0.5' });
  await scene.query(`update hot_balance set amount = 0 where chain_ref = $1`, [chain.chainRef]);
  await holds(NATIVE_COIN, 1_000n * COIN);
});

const holds = (token: string, units: bigint): Promise<unknown> =>
  scene.query(
    `insert into hot_balance (chain_ref, token_contract, amount, height) values ($1, $2, $3, 1)
     on conflict (chain_ref, token_contract) do update set amount = excluded.amount`,
    [chain.chainRef, token, units],
  );

const room = (cents = CAP_CENTS): Promise<bigint | null> =>
  hotWalletCap(scene.database, cents).room(scene.database.em(), chain.chainRef);

it('room is the cap less the worth of all that the wallet holds, in wei of the coin', async () => {
  // 1,000 dollars are 2,000 coins.
  expect(await room()).toBe(1_000n * COIN);
  await holds(chain.contract, 300n * DOLLAR);
  expect(await room()).toBe(400n * COIN);
  await holds(chain.contract, 600n * DOLLAR);
  expect(await room()).toBe(-200n * COIN);
});

it('open sweeps take room, and final ones until the balance that was read includes them', async () => {
  const { id } = await aPlannedSweep(scene, chain);
  await query(scene.db.owner, `alter table sweep_item disable trigger all`);
  await scene.query(`update sweep_item set expected = 100000000 where sweep_id = $1`, [id]);
  expect(await room()).toBe(600n * COIN);
  await scene.query(`update sweep_item set swept = 50000000, swept_height = 2 where sweep_id = $1`, [id]);
  expect(await room()).toBe(800n * COIN);
  await scene.query(`update hot_balance set height = 2 where chain_ref = $1`, [chain.chainRef]);
  expect(await room()).toBe(1_000n * COIN);
});

it('there is no room while a price is missing, and no limit without a cap', async () => {
  await holds(chain.contract, DOLLAR);
  await aPriceSnapshot(scene.database, { POL: '0.5' });
  expect(await room()).toBe(-1n);
  expect(await room(0)).toBeNull();
});

it('the vault signs no sweep beyond the cap without a waiting withdrawal', async () => {
  const { sweeps: signer } = vaultServices(scene.database, new RecordingQueue().queue, undefined, CAP_CENTS);
  const idle = await aPlannedSweep(scene, chain);
  await holds(chain.contract, 600n * DOLLAR);
  expect(await signer.sign(scene.vault, 'sweep', idle.id)).toBe('hot_wallet_full');
  const [row] = await scene.query(`select waiting_reason from sweep where id = $1`, [idle.id]);
  expect(row).toEqual({ waiting_reason: 'hot_wallet_full' });
  await holds(chain.contract, 400n * DOLLAR);
  expect(await signer.sign(scene.vault, 'sweep', idle.id)).toBeNull();
});

it('the vault checks itself whether withdrawals wait for the funds: a row alone lifts no cap', async () => {
  const { sweeps: signer } = vaultServices(scene.database, new RecordingQueue().queue, undefined, CAP_CENTS);
  const first = await aPlannedSweep(scene, chain);
  await query(scene.db.owner, `alter table sweep disable trigger all`);
  await query(scene.db.owner, `alter table sweep_item disable trigger all`);
  const forWithdrawals = (id: string): Promise<unknown> =>
    scene.query(`update sweep set reason = 'withdrawal' where id = $1`, [id]);
  await forWithdrawals(first.id);
  await holds(NATIVE_COIN, 3_000n * COIN);
  expect(await signer.sign(scene.vault, 'sweep', first.id)).toBe('hot_wallet_full');
  const ordered = await scene.order(await scene.merchant(), { chain });
  expect(await scene.signer.sign(scene.vault, ordered.id)).toBe('coins_missing');
  expect(await signer.sign(scene.vault, 'sweep', first.id)).toBeNull();
  // The signed sweep brings the missing amount: no withdrawal needs another.
  await scene.query(`update sweep_item set expected = 25000000 where sweep_id = $1`, [first.id]);
  const second = await aPlannedSweep(scene, chain);
  await forWithdrawals(second.id);
  expect(await signer.sign(scene.vault, 'sweep', second.id)).toBe('hot_wallet_full');
  await scene.query(`update sweep_item set expected = 1 where sweep_id = $1`, [first.id]);
  expect(await signer.sign(scene.vault, 'sweep', second.id)).toBeNull();
});

it.each([
  ['of both tokens is not, while only one is waited for', true, 'hot_wallet_full'],
  ['of that token alone is', false, null],
])('a sweep %s signed beyond the cap', async (_what, coinsToo, expected) => {
  const { sweeps: signer } = vaultServices(scene.database, new RecordingQueue().queue, undefined, CAP_CENTS);
  const { id } = await aPlannedSweep(scene, chain, { coinsToo });
  await query(scene.db.owner, `alter table sweep disable trigger all`);
  await scene.query(`update sweep set reason = 'withdrawal' where id = $1`, [id]);
  await holds(NATIVE_COIN, 3_000n * COIN);
  await scene.signer.sign(scene.vault, (await scene.order(await scene.merchant(), { chain })).id);
  expect(await signer.sign(scene.vault, 'sweep', id)).toBe(expected);
});

it('a coin sweep is signed beyond the cap for a coin withdrawal that misses only its gas', async () => {
  const { sweeps: signer } = vaultServices(scene.database, new RecordingQueue().queue, undefined, CAP_CENTS);
  const { id } = await aPlannedSweep(scene, chain);
  await query(scene.db.owner, `alter table sweep disable trigger all`);
  await query(scene.db.owner, `alter table sweep_item disable trigger all`);
  await scene.query(`update sweep set reason = 'withdrawal' where id = $1`, [id]);
  await scene.query(`update sweep_item set token_contract = 'native' where sweep_id = $1`, [id]);
  await holds(NATIVE_COIN, 3_000n * COIN);
  expect(await signer.sign(scene.vault, 'sweep', id)).toBe('hot_wallet_full');
  const ordered = await scene.order(await scene.merchant(), { chain });
  await query(scene.db.owner, `alter table withdrawal disable trigger all`);
  await scene.query(
    `update withdrawal set token_contract = 'native', amount = $2, waiting_reason = 'coins_missing' where id = $1`,
    [ordered.id, 3_000n * COIN],
  );
  expect(await signer.sign(scene.vault, 'sweep', id)).toBeNull();
});
