import { HotWalletScene, type Sent } from '../../../test/support/hot-wallet-scene.js';
import { HOT_WALLET } from '../../../test/support/outgoing.js';
import { query } from '../../../test/support/sql.js';
import { newId } from '../../domain/ids.js';
import { checkChain } from './chain-checks.js';

const COIN = 10n ** 18n;

let scene: HotWalletScene;

beforeAll(async () => {
  scene = await HotWalletScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.begin();
  await scene.give(3n * COIN);
  await scene.compare();
});
afterEach(() => scene.end());

/** Inserts a transaction of the wallet with this status, whatever its state on the chain. */
async function known(sent: Sent | null, nonce: number, status: string): Promise<string> {
  const { chainRef } = scene.chain;
  const id = newId('ctx_');
  await scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(
      tx,
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
         token_contract, amount, status, finished_at)
       values ($1, $2, 'withdrawal', $1, $3, $4, '0xcd', 1, '0x', 21000, 'native', 1, $5,
               case when $5 <> 'signed' then now() end)`,
      [id, chainRef, HOT_WALLET, nonce, status],
    );
    await query(
      tx,
      `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas, max_priority_fee_per_gas)
       values ($1, 1, $2, '0x02', 5, 1)`,
      [id, sent?.hash ?? `0x${'12'.repeat(32)}`],
    );
    await query(tx, `update hot_wallet set next_nonce = greatest(next_nonce, $2::bigint + 1) where chain_ref = $1`, [
      chainRef,
      nonce,
    ]);
  });
  return id;
}

/** Returns the findings at the newest block, or at an earlier one. */
async function found(height?: number): Promise<Record<string, string>> {
  const { rules } = await checkChain(scene.database, await scene.audited(height));
  return Object.fromEntries(
    rules.flatMap(({ name, finding }) => (finding === null ? [] : [[name, `${finding.row} ${finding.says}`]])),
  );
}

it.each(['superseded', 'abandoned'])('a payment that was mined is found, although its status is %s', async (status) => {
  const before = (await scene.client.head()).height;
  const sent = await scene.pay(COIN);
  const id = await known(sent, 0, status);
  expect(await found()).toEqual({
    payments_are_on_chain: `chain_transaction ${id} is ${status}, but is on the chain as ${sent.hash}`,
    nonces_are_ours: `hot_wallet ${scene.chain.chainRef} has sent 1 transactions by the chain; 0 ended and 1 were signed, and 1 of these were abandoned or superseded`,
  });
  // Before it is final it may be reorged, so it is no finding.
  expect(await found(before)).toEqual({});
});

it('a pending transaction, or one superseded by another with its nonce, is no finding', async () => {
  const [first, second] = [await scene.pay(COIN), await scene.pay(1n)];
  await known(null, 0, 'superseded');
  await scene.writeDown(first);
  await query(
    scene.database,
    `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas, max_priority_fee_per_gas)
     select id, 1, mined_hash, '0x02', 5, 1 from chain_transaction where mined_hash = $1`,
    [first.hash],
  );
  await known(second, 1, 'signed');
  await known(null, 2, 'signed');
  expect(await found()).toEqual({});
  // At the block before, the second was pending.
  expect(await found(first.height)).toEqual({});
});
