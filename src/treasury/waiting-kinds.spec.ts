import { PayoutScene } from '../../test/support/payout-scene.js';
import { readTypedByGenericPlan } from '../../test/support/query-plan.js';
import { query } from '../../test/support/sql.js';
import type { SqlParameter } from '../platform/sql/sql.js';
import { findWaitingKinds, type WaitingKind } from './waiting-kinds.sql.js';

const MANY = 10_000;
/** More than an index of waiting rows for each kind needs, and far less than any of the tables has. */
const PAGES_MAX = 60;

let scene: PayoutScene;
beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());

/** Writes without the guards, which demand what belongs to each row. */
const write = (text: string, parameters: readonly SqlParameter[] = []) =>
  scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    return query(tx, text, parameters);
  });

const kinds = async () => (await scene.database.rows(findWaitingKinds)).map(({ kind }) => kind).toSorted();

/** Inserts ended orders of a table: `columns` and `values` beside the id, the chain and the end. */
const manyOf = (name: string, columns: string, values: string) =>
  write(
    `insert into ${name} (id, chain_ref, signed_at, finished_at, ${columns})
     select '${name}_' || n, $1, now(), now(), ${values} from generate_series(1, $2::int) n`,
    [scene.chain.chainRef, MANY],
  );

/** Inserts one order that waits, by the columns that its table demands. */
const OPEN: Readonly<Record<Exclude<WaitingKind, 'withdrawal' | 'replacement'>, string>> = {
  deposit_return: `deposit_return (id, deposit_id, destination, destination_key, status) values ('open', 'dep', '0x', '0x', 'broadcasting')`,
  contract: `sweep_contract (id, chain_ref, kind, address) select 'open', id, 'batch', '0x' from chain`,
  sweep: `sweep (id, chain_ref, reason) select 'open', id, 'threshold' from chain`,
  funding: `funding (id, chain_ref, sweep_id, address_id, amount) select 'open', id, 'swp', 1, 1 from chain`,
  energy_loan: `energy_loan (id, chain_ref, sweep_id, address_id, stake) select 'open', id, 'swp', 1, 1 from chain`,
  energy_return: `energy_return (id, chain_ref, loan_id, address_id, stake) select 'open', id, 'loan', 1, 1 from chain`,
  stake: `stake_order (id, chain_ref, move, amount) select 'open', id, 'stake', 1 from chain`,
};

it('the kinds with waiting orders are found without reading a large table, also before its rows are counted', async () => {
  const { id } = await scene.order(await scene.merchant());
  expect(await kinds()).toEqual(['withdrawal']);
  await write(
    `insert into withdrawal
     select (jsonb_populate_record(w, jsonb_build_object('id', 'wd_' || n, 'status', 'failed', 'failure_code', 'x',
               'failure_message', 'x'))).* from withdrawal w, generate_series(1, $1::int) n`,
    [MANY],
  );
  await write(`update withdrawal set signed_at = now() where id = $1`, [id]);
  await write(
    `insert into deposit_return (id, deposit_id, destination, destination_key, status, failure_code, ended_at)
     select 'ret_' || n, 'dep', '0x', '0x', 'failed', 'cancelled', now() from generate_series(1, $1::int) n`,
    [MANY],
  );
  await manyOf('sweep', 'reason', `'threshold'`);
  await manyOf('funding', 'sweep_id, address_id, amount, arrived', `'swp_' || n, 1, 1, 0`);
  await manyOf('energy_loan', 'sweep_id, address_id, stake, lent', `'swp_' || n, 1, 1, 0`);
  await manyOf('energy_return', 'loan_id, address_id, stake, returned', `'loan_' || n, 1, 1, 0`);
  await write(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
       token_contract, amount, status)
     select 'ctx_' || n, $1, 'withdrawal', 'wd_' || n, 'wallet', n, '0x', 0, '', 1, '0x', 1, 'signed'
       from generate_series(1, $2::int) n`,
    [scene.chain.chainRef, MANY],
  );
  for (const when of ['fresh', 'counted']) {
    if (when === 'counted') await query(scene.db.owner, 'analyze');
    expect(await kinds()).toEqual([]);
    const { scans, pages } = await readTypedByGenericPlan(scene.database, findWaitingKinds);
    const whole = scans.filter((scan) => /^Seq Scan on (?!sweep_contract|stake_order)/.test(scan));
    expect({ when, whole, scans: pages < PAGES_MAX ? [] : scans }).toEqual({ when, whole: [], scans: [] });
  }
});

it('each kind is found once an order of it waits, and no other', async () => {
  await write(`update withdrawal set signed_at = coalesce(signed_at, now())`);
  const open: WaitingKind[] = [];
  for (const [kind, row] of Object.entries(OPEN)) {
    await write(`insert into ${row}`);
    open.push(kind as WaitingKind);
    expect(await kinds()).toEqual(open.toSorted());
  }
});

it('a transaction whose replacement is wanted is found until it has ended', async () => {
  const { id } = await scene.order(await scene.merchant());
  await scene.signer.sign(scene.vault, id);
  expect(await kinds()).not.toContain('replacement');
  await scene.query(`update chain_transaction set replace_wanted_at = now() where purpose_id = $1`, [id]);
  expect(await kinds()).toContain('replacement');
});
