import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain } from '../../../test/support/factories.js';
import { readTypedByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import type { SqlText } from '../../platform/sql/sql.js';
import { chainsWithOpen } from '../transactions/outcomes.sql.js';
import { walletsOfFamilies } from '../wallets/hot-wallets.sql.js';
import { comparableSnapshots } from '../wallets/top-ups.sql.js';
import { agedWallets } from './expiring-balances.sql.js';
import { EXPIRING_FAMILIES } from './expiring-families.js';
import { findRecorded, openExpiring } from './expiring-payments.sql.js';
import { findChainsToRead, findFreshConditions } from './payment-conditions.sql.js';

const AGES = { busy: 4, idle: 30 };
const MANY = 20_000;
/** More than an index needs, and far less than any of the large tables has. */
const PAGES_MAX = 100;

let db: TestDatabase;
let chainRef: string;
beforeAll(async () => {
  db = await freshDatabase();
  ({ chainRef } = await aChain(db.database, { network: 'solana' }));
  await db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(
      tx,
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
         token_contract, amount, status, cost_max, valid_after_height, valid_after_hash, valid_until, finished_at,
         fee_paid, mined_hash, mined_height)
       select 'ctx_' || n, $1, 'withdrawal', 'wd_' || n, 'wallet', n, 'payee', 0, '', 1000, 'mint', 1,
              case when n > $2::int - 5 then 'signed' else 'succeeded' end, 10, n, 'hash', n + 151,
              case when n > $2::int - 5 then null else now() end, case when n > $2::int - 5 then null else 5 end,
              case when n > $2::int - 5 then null else 'id' || n end, case when n > $2::int - 5 then null else n end
         from generate_series(1, $2::int) n`,
      [chainRef, MANY],
    );
    await query(
      tx,
      `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
         max_priority_fee_per_gas, sole_on)
       select 'ctx_' || n, 1, 'id' || n, 'raw', 1, 1, $1 from generate_series(1, $2::int) n`,
      [chainRef, MANY],
    );
    await query(
      tx,
      `insert into fee_round (chain_ref, details, taken_at)
       select $1, '{"slot": 1}', now() - n * interval '4 seconds' from generate_series(1, $2::int) n`,
      [chainRef, MANY],
    );
    await query(
      tx,
      `insert into hot_wallet (chain_ref, address, address_key, derivation_path, next_nonce)
       values ($1, 'wallet', 'wallet', 'm', $2)`,
      [chainRef, MANY + 1],
    );
    await query(
      tx,
      `insert into hot_balance (chain_ref, token_contract, amount, height)
       select $1, contract, 1, 1 from chain_token where chain_ref = $1`,
      [chainRef],
    );
    await query(
      tx,
      `insert into stocktaking (chain_ref, token_contract, height, block_hash, amount, booked, booked_height)
       select $1, contract, $2::int, 'hash', 1, 1, $2::int - 10 from chain_token where chain_ref = $1`,
      [chainRef, MANY],
    );
  });
});
afterAll(() => db.drop());

const STATEMENTS: readonly (readonly [string, () => SqlText])[] = [
  ['the newest conditions', () => findFreshConditions(chainRef, 10)],
  ['the chains whose conditions are old', () => findChainsToRead(EXPIRING_FAMILIES, AGES)],
  ['the wallets whose balances are old', () => agedWallets(EXPIRING_FAMILIES, AGES)],
  ['the wallets whose transactions are checked', () => walletsOfFamilies(EXPIRING_FAMILIES)],
  ['the recorded transactions among some', () => findRecorded(chainRef, ['id7', 'id8', 'unknown'])],
  ['the chains with open transactions', () => chainsWithOpen],
  ['the open transactions of a chain', () => openExpiring(chainRef, { after: -1, limit: 100 })],
  ['the snapshots that can be compared', () => comparableSnapshots(chainRef)],
];

it.each(STATEMENTS)(
  '%s are found without reading a large table, also before its rows are counted',
  async (_what, of) => {
    for (const when of ['fresh', 'counted']) {
      if (when === 'counted') await query(db.owner, `analyze`);
      const { scans, pages } = await readTypedByGenericPlan(db.database, of());
      const whole = scans.filter((scan) =>
        /^Seq Scan on (chain_transaction|transaction_attempt|fee_round)$/.test(scan),
      );
      expect({ when, whole, scans: pages < PAGES_MAX ? [] : scans }).toEqual({ when, whole: [], scans: [] });
    }
  },
);
