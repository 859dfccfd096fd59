import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { NATIVE_DEPTH, NativeScene } from '../../../test/support/native-scene.js';
import { aHotWallet } from '../../../test/support/outgoing.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { createLogger } from '../../platform/logging.js';
import { DepositRecorder } from './deposit-recorder.service.js';

let db: TestDatabase;
let log: LogLines;
let scene: NativeScene;

beforeEach(async () => {
  db = await freshDatabase();
  log = new LogLines();
  scene = await NativeScene.set(
    db.database,
    new DepositRecorder(db.database, createLogger('error', { destination: log })),
  );
  await aHotWallet(db.database, scene.chain.chainRef);
});
afterEach(() => db.drop());

const where = () => [scene.chain.chainRef, NATIVE_COIN, scene.address];

/** A sweep of all that is final on the address is planned. */
async function planSweep(): Promise<void> {
  await db.query(
    `insert into sweep (id, chain_ref, reason, delegate, batch) values ('swp_1', $1, 'threshold', '0xd', '0xb')`,
    [scene.chain.chainRef],
  );
  await db.query(
    `insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected)
     select 'swp_1', 0, $1, $2, balance.address_id, balance.received from deposit_balance balance
       join pool_address on id = balance.address_id where address_key = $3`,
    where(),
  );
}

/** Its transaction is final: so much reached the hot wallet in the block of this height. */
async function endSweep(units: bigint, height: number): Promise<void> {
  await db.query(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
       token_contract, amount, status) values ('ctx_1', $1, 'sweep', 'swp_1', '0x', 0, '0xb', 0, '0x', 50000, 'native', 0,
       'signed')`,
    [scene.chain.chainRef],
  );
  await db.query(`insert into transaction_attempt values ('ctx_1', 1, '0xaa', '0x', 1, 1)`);
  await db.query(
    `update chain_transaction set status = 'succeeded', mined_hash = '0xaa', mined_height = $1, fee_paid = 1,
            finished_at = now() where id = 'ctx_1'`,
    [height],
  );
  await db.query(`update sweep_item set swept = $1, swept_height = $2`, [units, height]);
}

/** Coins that came to the address inside of a contract, or left it for a number below zero. */
const move = (amount: bigint): void => scene.node.mine({ inside: [{ to: scene.address, amount }] });

async function makeFinal(): Promise<void> {
  for (let i = 0; i < NATIVE_DEPTH; i++) scene.node.mine();
  await scene.read();
}

it('what a sweep takes is no shortfall, before it is final and after', async () => {
  move(8n);
  await scene.read();
  await makeFinal();
  await planSweep();
  move(-8n);
  const { height } = await scene.read();
  await makeFinal();
  await endSweep(8n, height);
  scene.node.mine();
  await scene.read();
  expect(await scene.booked()).toBe(8n);
  expect(log.named('An address holds less than the books say.')).toEqual([]);
});

it('coins that arrive while a sweep is under way are booked once, as soon as it is final at the latest', async () => {
  move(8n);
  await scene.read();
  await makeFinal();
  await planSweep();
  // These arrive before the sweep takes everything, and are not final by then.
  move(2n);
  await scene.read();
  move(-10n);
  const { height } = await scene.read();
  move(5n);
  await scene.read();
  expect(await scene.booked()).toBe(10n);
  await makeFinal();
  await endSweep(10n, height);
  scene.node.mine();
  await scene.read();
  expect(await scene.booked()).toBe(15n);
  move(1n);
  await scene.read();
  expect(await scene.booked()).toBe(16n);
  expect(log.named('An address holds less than the books say.')).toEqual([]);
});

it('a balance that was reported too high while a sweep is under way is not final before it is over, and never booked', async () => {
  move(8n);
  await scene.read();
  await makeFinal();
  await planSweep();
  // Two that were never sent.
  scene.node.mine();
  scene.node.keepsBack = -2n;
  await scene.read();
  scene.node.keepsBack = 0n;
  move(-8n);
  const { height } = await scene.read();
  await makeFinal();
  const confirmed = async () =>
    (await scene.deposits()).filter(({ status }) => status === 'confirmed').map(({ amount }) => amount);
  expect(await confirmed()).toEqual(['8']);
  await endSweep(8n, height);
  scene.node.mine();
  await scene.read();
  expect(await confirmed()).toEqual(['8']);
  expect(await scene.booked()).toBe(8n);
  expect(log.named('An address holds less than the books say.')).toEqual([]);
});

it('coins that were stolen are still logged', async () => {
  move(8n);
  await scene.read();
  await makeFinal();
  move(-3n);
  await scene.read();
  expect(log.named('An address holds less than the books say.')).toHaveLength(1);
});
