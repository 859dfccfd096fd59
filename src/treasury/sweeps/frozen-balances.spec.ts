import { aDeposit, moveDeposit } from '../../../test/support/factories.js';
import { SuspenseScene } from '../../../test/support/suspense-scene.js';
import { listExactly } from '../../../test/support/listed-senders.js';
import { aHotWallet } from '../../../test/support/outgoing.js';
import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { compiled } from '../../platform/sql/sql.js';
import { findCandidates } from './sweep-candidates.sql.js';

const WHY = ['--reason', 'for this test'] as const;

let scene: SuspenseScene;

beforeEach(async () => {
  scene = await SuspenseScene.open();
  await aHotWallet(scene.database, scene.polygon.chainRef);
});
afterEach(() => scene.close());

/** What a planner may sweep, by token. */
async function candidates(): Promise<unknown[]> {
  const rows = await scene.database.rows(findCandidates(['evm'], 10));
  return rows.map(({ token, units }) => [token === scene.usdt ? 'USDT' : 'USDC', units]);
}

it('funds of a listed sender, and other funds beside them, are not swept until an operator releases them [G-98]', async () => {
  const intent = await scene.anIntent();
  const id = await scene.aFrozenPayment(intent);
  expect(await candidates()).toEqual([]);
  await scene.coffer('keep', id, ...WHY);
  expect(await candidates()).toEqual([]);
  await scene.coffer('release', id, ...WHY);
  expect(await candidates()).toEqual([['USDC', '25000000']]);
});

it('what lies beside a payment of a listed sender stays too, before that is final [G-98]', async () => {
  const intent = await scene.anIntent();
  await query(scene.database, `update payment_intent set status = 'cancelled' where id = $1`, [intent.id]);
  await aDeposit(scene.database, intent, { status: 'confirmed' });
  expect(await candidates()).toEqual([['USDC', '25000000']]);
  const pending = await aDeposit(scene.database, intent);
  expect(await candidates()).toEqual([['USDC', '25000000']]);
  const [deposit] = await query<{ sender: string }>(
    scene.database,
    `select from_address as sender from deposit where id = $1`,
    [pending],
  );
  await listExactly(scene.database, deposit?.sender ?? '');
  expect(await candidates()).toEqual([]);
  await moveDeposit(scene.database, pending, 'orphaned');
  expect(await candidates()).toEqual([['USDC', '25000000']]);
});

it('unattributed funds are swept like others [G-97]', async () => {
  const intent = await scene.anIntent();
  await query(scene.database, `update payment_intent set status = 'cancelled' where id = $1`, [intent.id]);
  await scene.aWrongToken(intent);
  expect(await candidates()).toEqual([['USDT', '25000000']]);
});

it('frozen funds, and those that would be frozen, are found by indexes, however many deposits there are', async () => {
  const intent = await scene.anIntent();
  await scene.aFrozenPayment(intent);
  await query(
    scene.database,
    `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
     select 'sandbox', 'evm', 100000 + n, 'm/' || n, '0x' || n, '0x' || n from generate_series(1, 3000) n`,
  );
  await query(
    scene.database,
    `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount, block_height,
       block_hash, block_time, seen_at, status, confirmed_at, address_id, unattributed_reason)
     select 'dep_' || id || status, $1, $2, id || status, 0, '0xaa', address, 5, 99, '0x', now(), now(), status,
            case status when 'confirmed' then now() end, id, 'address_not_assigned'
       from pool_address cross join (values ('seen'), ('confirmed')) as listed (status) where intent_id is null`,
    [scene.polygon.chainRef, scene.polygon.contract],
  );
  await query(scene.db.owner, `analyze`);
  const { text, values } = compiled(findCandidates(['evm'], 250));
  const { scans, pages } = await readByGenericPlan(scene.database, text, values);
  expect(scans.filter((scan) => /^Seq Scan on deposit\b(?!_)/.test(scan))).toEqual([]);
  expect(scans).toEqual(
    expect.arrayContaining(['Index Scan on deposit by deposit_listed', 'Index Scan on deposit by deposit_address']),
  );
  expect(pages).toBeLessThan(10_000);
});
