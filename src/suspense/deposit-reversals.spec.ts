import type { CliRun } from '../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { ReorgedScene } from '../../test/support/reorged-scene.js';
import { settlementOn, stateOf } from '../../test/support/settlement.js';
import { query } from '../../test/support/sql.js';
import { anUnattributedDeposit } from '../../test/support/unattributed-deposits.js';
import { LedgerService } from '../ledger/ledger.service.js';
import type { Database } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { SuspenseBooking } from './suspense-booking.service.js';

const WHY = ['--reason', 'the chain dropped its block'] as const;

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

/** The sums of the postings on the system accounts of this chain's coin that are not zero. */
async function ownBalances(): Promise<Record<string, string>> {
  const rows = await query<{ kind: string; sum: string }>(
    database,
    `select kind, sum(amount) from account join posting on account_id = account.id
      where kind in ('suspense', 'frozen', 'receivable') and account.asset = 'ethereum:native'
      group by kind having sum(amount) <> 0`,
  );
  return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
}

describe('coffer deposits reverse', () => {
  it('books it against what we are owed, once, and touches neither pocket nor intent [F-64] [E-57]', async () => {
    const { id } = await scene.aLostPayment();
    const before = await stateOf(database, scene.intent);
    const refused = await scene.coffer('deposits', 'reverse', id, ...WHY);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('No reorg has removed it from the chain') });
    await scene.halt();
    await scene.reorged.check();
    expect(await scene.coffer('deposits', 'reverse', id, ...WHY)).toMatchObject({
      code: 0,
      out: `Deposit ${id}, 25 ETH on ethereum (sandbox), is booked out.\n`,
    });
    expect(await ownBalances()).toEqual({ receivable: String(-scene.intent.cryptoAmount) });
    expect(await stateOf(database, scene.intent)).toEqual(before);
    expect(await scene.coffer('deposits', 'reverse', id, ...WHY)).toMatchObject({
      code: 1,
      err: expect.stringContaining('It is reversed already: by '),
    });
    const audit = await query(database, `select action, reason, details from audit_entry where subject = $1`, [id]);
    expect(audit).toEqual([
      { action: 'deposit.reverse', reason: 'the chain dropped its block', details: { from: 'receivable' } },
    ]);
    expect((await scene.coffer('deposits', 'reorged')).out).not.toContain(id);
  });

  it('asks the nodes itself, so that also one is booked out that lay deeper than the listener remembers [F-64]', async () => {
    const { id, raw } = await scene.aLostPayment();
    await query(database, `delete from chain_block`);
    await scene.halt();
    await scene.reorged.check();
    expect(await scene.isReorged(id)).toBe(false);
    expect(await scene.cofferAsking('deposits', 'reverse', id, ...WHY)).toMatchObject({ code: 0 });
    expect(await scene.frozenReason()).not.toBeNull();
    // It is on the chain again, and not final there yet.
    await scene.resend(raw);
    expect((await scene.cofferAsking('deposits', 'restore', id, ...WHY)).err).toContain(
      'cannot answer for certain yet',
    );
    await scene.node.mine(5);
    expect(await scene.cofferAsking('deposits', 'restore', id, ...WHY)).toMatchObject({ code: 0 });
  });

  it('refuses one that a node has, also where it is marked, and while no node answers', async () => {
    const id = await scene.aFinalPayment();
    await settlementOn(database).settle(scene.intent.id);
    await query(database, `update deposit set gone_at = now() where id = $1`, [id]);
    await scene.node.mine(5);
    expect((await scene.cofferAsking('deposits', 'reverse', id, ...WHY)).err).toContain(
      'A node has the deposit in a final block',
    );
    await scene.node.stop();
    expect((await scene.cofferAsking('deposits', 'reverse', id, ...WHY)).err).toContain('No node of its chain answers');
  });

  it('keeps the hot wallet frozen until it is done, whatever else that was frozen for', async () => {
    const { id } = await scene.aLostPayment();
    await query(database, `update hot_wallet set frozen_reason = 'something else' where chain_ref = $1`, [
      scene.chain.chainRef,
    ]);
    await scene.halt();
    await scene.reorged.check();
    expect(await scene.frozenReason()).toMatch(/^something else; Deposits/);
    const place = ['--network', 'ethereum', '--env', 'sandbox', ...WHY];
    const unfreeze = (...more: string[]): Promise<CliRun> =>
      scene.cofferAsking('withdrawals', 'unfreeze', ...place, ...more);
    expect(await unfreeze()).toMatchObject({
      code: 1,
      err: expect.stringContaining('Deposits were reorged from this chain (1)'),
    });
    expect(await unfreeze('--despite-gone')).toMatchObject({ code: 0 });
    await scene.coffer('withdrawals', 'freeze', ...place);
    await scene.coffer('deposits', 'reverse', id, ...WHY);
    expect(await unfreeze()).toMatchObject({ code: 0 });
  });

  it('books it in again, once, when it is final on the chain after all [F-65]', async () => {
    const { id, raw } = await scene.aLostPayment();
    const before = await ownBalances();
    await scene.halt();
    await scene.reorged.check();
    await scene.coffer('deposits', 'reverse', id, ...WHY);
    const restore = (): Promise<CliRun> => scene.coffer('deposits', 'restore', id, ...WHY);
    expect((await restore()).err).toContain('It is not back on the chain');
    await scene.halt(null);
    await scene.resend(raw);
    await scene.node.mine(3);
    await scene.reorged.check();
    expect(await scene.coffer('deposits', 'reorged')).toMatchObject({
      code: 1,
      out: expect.stringMatching(new RegExp(`${id} +reversed, there again`)),
    });
    expect(await restore()).toMatchObject({
      code: 0,
      out: `Deposit ${id}, 25 ETH on ethereum (sandbox), is booked in again.\n`,
    });
    expect(await ownBalances()).toEqual(before);
    expect((await restore()).err).toContain('It is restored already: by ');
    expect((await scene.coffer('deposits', 'reorged')).out).not.toContain(id);
  });

  it('books money that is still in suspense out of it, and nothing of it can be given out any more', async () => {
    const id = await anUnattributedDeposit(database, {
      chain: scene.chain,
      address: scene.intent.address,
      reason: 'address_not_assigned',
      amount: 7n,
    });
    const before = await ownBalances();
    await new SuspenseBooking(database, new LedgerService(), createLogger('silent')).bookFinal();
    await query(database, `update deposit set gone_at = now() where id = $1`, [id]);
    const { merchantId } = scene.intent.tenant;
    const resolve = (): Promise<CliRun> => scene.coffer('deposits', 'resolve', id, '--merchant', merchantId, ...WHY);
    expect((await resolve()).err).toContain('A reorg removed it after it was final');
    expect((await scene.coffer('deposits', 'reverse', id, ...WHY)).code).toBe(0);
    expect(await ownBalances()).toEqual(before);
    expect((await resolve()).err).toContain('It was reversed after a reorg removed it');
  });
});
