import type { SeededChain } from '../../../test/support/factories.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { gasReserve } from './gas-reserve.js';
import { sweepContracts } from '../../chains/evm/sweep-contracts.js';

/** The highest gas price in the scene: twice the base fee and the tip. */
const MAX_FEE = 32n * 10n ** 9n;
/** Of each order of the scene, in smallest units. */
const AMOUNT = 25_000_000n;
const PAYMENT = AMOUNT + 30_000n * MAX_FEE;

let scene: PayoutScene;
let chain: SeededChain;
beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
});

/** Orders this many payments, signs what can be signed, and returns what each waits for. */
async function signed(count: number, contract: string): Promise<(string | null)[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await scene.order(await scene.merchant(), { chain: { ...chain, contract } })).id);
  }
  await scene.signer.signWaiting(scene.vault);
  return Promise.all(ids.map((id) => scene.waitsFor(id)));
}

/** Inserts a row for each of the two contracts, deployed or not. Returns their ids. */
async function contracts(areReady: boolean, prefix = ''): Promise<string[]> {
  const [wallet] = await scene.query<{ address_key: string }>(
    `select address_key from hot_wallet where chain_ref = $1`,
    [chain.chainRef],
  );
  const { delegate, batch } = sweepContracts(wallet?.address_key ?? '');
  const rows = await scene.query<{ id: string }>(
    `insert into sweep_contract (id, chain_ref, kind, address, ready_at)
     select $5 || $1 || kind, $1, kind, address, case when $4::boolean then now() end
       from (values ('delegate', $2), ('batch', $3)) contract (kind, address) returning id`,
    [chain.chainRef, delegate.address, batch.address, areReady, prefix],
  );
  return rows.map(({ id }) => id);
}

it('however many payments in the coin are ordered, they leave the gas of a sweep and of three payments in tokens', async () => {
  await contracts(true);
  await scene.hold(10n * AMOUNT, (4n * 166_000n + 3n * 120_000n) * MAX_FEE + 2n * PAYMENT, chain);
  expect(await signed(4, NATIVE_COIN)).toEqual([null, null, 'coins_missing', 'coins_missing']);
  const { sweeps } = vaultServices(scene.database, new RecordingQueue().queue);
  const { id } = await aPlannedSweep(scene, chain, { nonces: [0] });
  expect(await sweeps.sign(scene.vault, 'sweep', id)).toBeNull();
  expect(await signed(3, chain.contract)).toEqual([null, null, null]);
});

it('where the contracts are not there yet, payments in the coin leave the gas of both', async () => {
  await scene.hold(0n, (5n * 400_000n + 3n * 120_000n) * MAX_FEE + PAYMENT, chain);
  expect(await signed(2, NATIVE_COIN)).toEqual([null, 'coins_missing']);
  const { sweeps } = vaultServices(scene.database, new RecordingQueue().queue);
  for (const id of await contracts(false)) expect(await sweeps.sign(scene.vault, 'contract', id)).toBeNull();
});

it('contracts of an earlier version do not count for those of this one', async () => {
  const keep = (areReady: boolean) => (areReady ? 4n * 166_000n : 5n * 400_000n) + 3n * 120_000n;
  await scene.query(
    `insert into sweep_contract (id, chain_ref, kind, address, ready_at)
     select $1 || kind, $1, kind, address, now() from (values ('delegate', '0xd0'), ('batch', '0xb0')) old (kind, address)`,
    [chain.chainRef],
  );
  const kept = () => scene.database.transaction((tx) => gasReserve(tx, chain.chainRef, MAX_FEE));
  expect(await kept()).toBe(keep(false) * MAX_FEE);
  await contracts(true, 'new ');
  expect(await kept()).toBe(keep(true) * MAX_FEE);
});
