import { z } from 'zod';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { ReorgedScene } from '../../test/support/reorged-scene.js';
import { readByGenericPlan } from '../../test/support/query-plan.js';
import { settlementOn, stateOf } from '../../test/support/settlement.js';
import { query } from '../../test/support/sql.js';
import { idBefore } from '../domain/ids.js';
import { type Database } from '../platform/database/database.js';
import { compiled } from '../platform/sql/sql.js';
import { dueChains, inDoubt } from './reorged-deposits.sql.js';

const WHY = ['--reason', 'the chain dropped its block'] as const;
/** Code that reverts whatever is sent to it. */
const REFUSING_CODE = '0x60006000fd';

let db: TestDatabase;
let database: Database;
let scene: ReorgedScene;

beforeAll(async () => {
  db = await freshDatabase();
  ({ database } = db);
});
afterAll(() => db.drop());
beforeEach(async () => {
  scene = await ReorgedScene.open(db);
});
afterEach(() => scene.close());

describe('a final deposit that was reorged', () => {
  it('is marked and logged, and freezes the hot wallet; it is unmarked when that is final again [F-64]', async () => {
    const { id, raw } = await scene.aLostPayment();
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(false);
    await scene.halt();
    await scene.reorged.check();
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(true);
    expect(scene.log.named('Final deposits were reorged.')).toEqual([expect.objectContaining({ deposits: [id] })]);
    expect(await scene.frozenReason()).toBe('Deposits that were final are gone from the chain.');
    expect(await scene.coffer('deposits', 'reorged')).toMatchObject({ code: 1, out: expect.stringContaining(id) });
    // Staff ended the halt; the transaction is mined again, in another block.
    await scene.halt(null);
    await scene.resend(raw);
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(true);
    await scene.node.mine(3);
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(false);
    expect(scene.log.named('Reorged deposits are back on the chain.')).toHaveLength(1);
    expect((await scene.coffer('deposits', 'reorged')).out).not.toContain(id);
    expect(await scene.frozenReason()).not.toBeNull();
  });

  it('is none while the chain still has it, or no node says what it has', async () => {
    const id = await scene.aFinalPayment();
    await scene.node.mine(5);
    await scene.halt();
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(false);
    const lost = await scene.aLostPayment();
    await scene.node.stop();
    await scene.reorged.check();
    expect([await scene.isReorged(id), await scene.isReorged(lost.id)]).toEqual([false, false]);
    expect(await scene.frozenReason()).toBeNull();
  });

  it('is reorged too when its transaction is mined again and reverted there [G-94] [F-64]', async () => {
    const { id, raw } = await scene.aLostPayment();
    await scene.node.send('anvil_setCode', scene.intent.address, REFUSING_CODE);
    await scene.resend(raw);
    await scene.node.mine(5);
    await scene.halt();
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(true);
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(true);
  });

  it('is not credited while it is reorged, and is once it is back [F-64]', async () => {
    const { id, raw } = await scene.aLostPayment({ isCredited: false });
    await scene.halt();
    await scene.reorged.check();
    const settlement = settlementOn(database);
    await settlement.settle(scene.intent.id);
    expect(await stateOf(database, scene.intent)).toMatchObject({ status: 'requires_action', pocket: 0n, events: [] });
    // There is nothing to decide: it is in no books.
    expect((await scene.coffer('deposits', 'reorged')).out).not.toContain(id);
    expect((await scene.coffer('deposits', 'reverse', id, ...WHY)).err).toContain('It was not booked');
    // A settlement that read it before it was marked tries again.
    await expect(query(database, `update deposit set credited_at = now() where id = $1`, [id])).rejects.toMatchObject({
      code: '40001',
    });
    await scene.resend(raw);
    await scene.node.mine(5);
    await scene.reorged.check();
    const dirty = await query(database, `select from dirty_intent where intent_id = $1`, [scene.intent.id]);
    expect(dirty).toHaveLength(1);
    await settlement.settle(scene.intent.id);
    expect(await stateOf(database, scene.intent)).toMatchObject({
      status: 'completed',
      pocket: scene.intent.cryptoAmount,
    });
  });

  it('is found again behind any number of others that stay reorged', async () => {
    const { id, raw } = await scene.aLostPayment();
    await query(
      database,
      `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
         block_height, block_hash, block_time, status, confirmed_at, address_id, unattributed_reason, gone_at)
       select 'dep_0p' || n, $1, 'native', '0x' || lpad(to_hex(n), 64, '0'), -1, '0xaa', $2, 1, 1, 'block', now(),
              'confirmed', now(), address.id, 'other_token', now()
         from generate_series(1, 500) n, pool_address address where address.address = $2`,
      [scene.chain.chainRef, scene.intent.address],
    );
    await query(database, `update deposit set gone_at = now() where id = $1`, [id]);
    await scene.resend(raw);
    await scene.node.mine(5);
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(false);
  });

  it('is logged once that is committed, and not before', async () => {
    await scene.aLostPayment();
    await scene.halt();
    await query(
      db.owner,
      `
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`,
    );
    await query(
      db.owner,
      `
      create constraint trigger refuse after update on deposit deferrable initially deferred
        for each row execute function refuse()`,
    );
    try {
      await scene.reorged.check();
      expect(scene.log.named('Final deposits were reorged.')).toEqual([]);
    } finally {
      await query(db.owner, `drop function refuse cascade`);
    }
    await scene.reorged.check();
    expect(scene.log.named('Final deposits were reorged.')).toHaveLength(1);
  });

  it('is none before the blocks in its place are final', async () => {
    const before = await scene.node.ask(z.string(), 'evm_snapshot');
    const id = await scene.aFinalPayment();
    await scene.node.send('evm_revert', before);
    await scene.node.mine();
    await scene.halt();
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(false);
    await scene.node.mine(5);
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(true);
  });
});

it('asks without reading the deposits that are not in doubt', async () => {
  const { blockHeight } = (await scene.pay()).place;
  // The balances to sweep are not the point here.
  await db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(
      tx,
      `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
       block_height, block_hash, block_time, status, confirmed_at, address_id, unattributed_reason,
       credited_at, held_as)
     select 'dep_00' || n, $1, 'native', 'tx' || n, -1, '0xaa', $2, 1, $3, 'block', now(), 'confirmed', now(), address.id,
            'other_token', now(), 'suspense'
       from generate_series(1, 5000) n, pool_address address where address.address = $2`,
      [scene.chain.chainRef, scene.intent.address, blockHeight],
    );
  });
  await query(db.owner, `analyze deposit`);
  const due = await readByGenericPlan(database, compiled(dueChains).text, []);
  const page = { chainRef: scene.chain.chainRef, above: idBefore('dep_', new Date()), limit: 500 };
  const { text, values } = compiled(inDoubt(page));
  const doubtful = await readByGenericPlan(database, text, values);
  expect([...due.scans, ...doubtful.scans]).not.toContain('Seq Scan on deposit');
  expect(due.pages + doubtful.pages).toBeLessThan(100);
});
