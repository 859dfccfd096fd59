import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aCoinTransaction, type CoinTransaction } from '../../../test/support/memory-chain.js';
import { NATIVE_DEPTH, NativeScene } from '../../../test/support/native-scene.js';
import { aHotWallet } from '../../../test/support/outgoing.js';
import { settlementOn } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { DepositReversals } from '../../suspense/deposit-reversals.service.js';
import { DepositRecorder } from './deposit-recorder.service.js';

const ORDER = { actor: 'a test', reason: 'none' };

let db: TestDatabase;
let database: Database;
let recorder: DepositRecorder;
let scene: NativeScene;
let paid: CoinTransaction;

beforeAll(async () => {
  db = await freshDatabase();
  ({ database } = db);
  recorder = new DepositRecorder(database, createLogger('silent'));
});
afterAll(() => db.drop());

/** A payment of 5 that was credited and is final. */
beforeEach(async () => {
  scene = await NativeScene.set(database, recorder);
  paid = aCoinTransaction(scene.address, 5n);
  scene.node.mine({ transactions: [paid] });
  mineFinal();
  await scene.read();
  await settlementOn(database).settle(scene.intent.id);
});

/** It was reorged; staff have booked it out and set the cursor back. */
async function lose(): Promise<void> {
  await query(database, `update deposit set gone_at = now() where tx_hash = $1`, [paid.txHash]);
  const [deposit] = await query<{ id: string }>(database, `select id from deposit where tx_hash = $1`, [paid.txHash]);
  const reversals = new DepositReversals(database, new LedgerService());
  await database.transaction((tx) => reversals.reverse(tx, deposit?.id ?? '', ORDER));
  await scene.setBack(100);
  scene.node.takeBack(NATIVE_DEPTH + 1);
}

function mineFinal(): void {
  for (let i = 0; i < NATIVE_DEPTH; i++) scene.node.mine();
}

async function isReorged(): Promise<boolean> {
  const rows = await query(database, `select from deposit where tx_hash = $1 and gone_at is not null`, [paid.txHash]);
  return rows.length > 0;
}

/** The deposits beside the payment, in the order of the chain. */
async function others(): Promise<unknown[]> {
  const found = await scene.deposits();
  return found.filter(({ tx_hash: hash }) => hash !== paid.txHash).map(({ amount, status }) => [amount, status]);
}

describe("a payment in the chain's own coin that was booked out", () => {
  it('hides no payment that comes to its address by another way [G-93] [F-64]', async () => {
    await lose();
    scene.node.mine({ inside: [{ to: scene.address, amount: 5n }] });
    await scene.read();
    expect(await others()).toEqual([['5', 'seen']]);
    expect(await isReorged()).toBe(true);
  });

  it('is no second payment when it is mined again, and reorged once more with that block [F-64] [F-65]', async () => {
    await lose();
    scene.node.mine({ transactions: [paid], inside: [{ to: scene.address, amount: 3n }] });
    await scene.read();
    expect([await others(), await isReorged()]).toEqual([[['3', 'seen']], false]);
    scene.node.takeBack(1);
    scene.node.mine();
    await scene.read();
    expect([await others(), await isReorged()]).toEqual([[], true]);
    scene.node.mine({ transactions: [paid] });
    mineFinal();
    await scene.read();
    expect([await others(), await isReorged()]).toEqual([[], false]);
    const [deposit] = await scene.deposits();
    expect(deposit).toMatchObject({ tx_hash: paid.txHash, status: 'confirmed', block_height: '102' });
  });

  it('and that was swept before makes no payment of nothing: the chain lost the sweep with it [F-64]', async () => {
    const { chainRef } = scene.chain;
    await aHotWallet(database, chainRef);
    await query(
      database,
      `insert into sweep (id, chain_ref, reason, delegate, batch) values ('swp_1', $1, 'threshold', '0xd', '0xb')`,
      [chainRef],
    );
    await query(
      database,
      `insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected, swept, swept_height)
       select 'swp_1', 0, chain_ref, token_contract, address_id, 5, 5, 102 from deposit_balance where chain_ref = $1`,
      [chainRef],
    );
    await query(database, `update sweep set signed_at = now(), finished_at = now() where id = 'swp_1'`);
    await lose();
    scene.node.mine();
    await scene.read();
    expect(await others()).toEqual([]);
    scene.node.mine({ inside: [{ to: scene.address, amount: 3n }] });
    await scene.read();
    expect(await others()).toEqual([['3', 'seen']]);
  });
});
