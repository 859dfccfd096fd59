import { query } from '../../test/support/sql.js';
import { SuspenseScene } from '../../test/support/suspense-scene.js';
import { DEPOSIT_BOOKING_CHECKS } from '../auditor/checks/deposit-booking-checks.sql.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { Metrics } from '../platform/metrics.js';
import { SigningFreeze } from '../withdrawals/payouts/signing-freeze.service.js';
import { DepositReversals } from './deposit-reversals.service.js';
import { DepositsWithoutPocket } from './deposits-without-pocket.service.js';
import { SuspenseWatch } from './suspense-watch.service.js';

const STAFF = { actor: 'alice@vault-1', reason: 'the chain dropped its block' };

let scene: SuspenseScene;
beforeAll(async () => {
  scene = await SuspenseScene.open();
  await query(
    scene.database,
    `insert into hot_wallet (chain_ref, address, address_key, derivation_path, frozen_reason)
     values ($1, '0xab', '0xab', 'm/1', 'the deposit is gone')`,
    [scene.polygon.chainRef],
  );
});
afterAll(() => scene.close());

it('a deposit that came back and is reorged once more is counted, logged, and booked out again [F-64] [F-65]', async () => {
  const { database } = scene;
  const id = await scene.aWrongToken(await scene.anIntent());
  const reversals = new DepositReversals(database, new LedgerService());
  const decide = (verb: 'reverse' | 'restore') => database.transaction((tx) => reversals[verb](tx, id, STAFF));
  const setReorged = (isReorged: boolean) =>
    query(database, `update deposit set gone_at = case when $2 then now() end where id = $1`, [id, isReorged]);
  const metrics = new Metrics();
  const counted = async (): Promise<boolean> => {
    await new SuspenseWatch(database, new DepositsWithoutPocket(database), metrics).measure();
    return (await metrics.registry.metrics()).includes(`coffer_deposits_gone{chain="${scene.polygon.chainRef}"} 1`);
  };
  for (let time = 1; time <= 2; time++) {
    await setReorged(true);
    await decide('reverse');
    expect(await counted()).toBe(false);
    await setReorged(false);
    await decide('restore');
  }
  await setReorged(true);
  expect(await counted()).toBe(true);
  const place = { environment: 'sandbox', network: 'polygon' } as const;
  const unfreeze = () =>
    database.transaction((tx) => new SigningFreeze().unfreezeNetwork(tx, place, STAFF, { unknown: [] }));
  await expect(unfreeze()).rejects.toThrow('Deposits were reorged from this chain (1) and are still in the books');
  await decide('reverse');
  await expect(decide('reverse')).rejects.toThrow('It is reversed already: by alice@vault-1');
  await unfreeze();
  expect((await reversals.pending(10)).map((one) => one.id)).toEqual([]);
  const entries = await query<{ reference: string }>(
    database,
    `select reference from entry where kind in ('reversal', 'restoration') order by id`,
  );
  expect(entries.map(({ reference }) => reference.replace(id, 'dep'))).toEqual([
    'reversal:dep',
    'restoration:dep',
    'reversal:dep:2',
    'restoration:dep:2',
    'reversal:dep:3',
  ]);
  for (const { find } of DEPOSIT_BOOKING_CHECKS) expect(await database.transaction((tx) => find(tx))).toBeNull();
  const never = query(database, `update deposit set restored_at = null, reversed_at = null where id = $1`, [id]);
  await expect(never).rejects.toThrow('is reversed or restored already');
});
