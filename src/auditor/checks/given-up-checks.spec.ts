import { Wallet } from 'ethers';
import { AdoptionScene } from '../../../test/support/adoption-scene.js';
import type { Ordered } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { transferCall } from '../../chains/evm/transfer-call.js';
import { recordAction } from '../../platform/audit-trail.js';
import { type Database, type Tx } from '../../platform/database/database.js';
import { checkRules } from '../books-verification.js';

/** Rules that are broken because the scene fills its pockets without deposits. */
const UNPAID = ['deposits_are_booked', 'chain_owes_what_lies_there'];

let scene: AdoptionScene;
let database: Database;

beforeEach(async () => {
  scene = await AdoptionScene.open();
  ({ database } = scene.payouts);
  await scene.payouts.countOnChain();
});
afterEach(() => scene.close());

const sign = (id: string) => scene.payouts.signer.sign(scene.payouts.vault, id);
const fail = (tx: Tx, id: string): Promise<void> =>
  vaultServices(database, new RecordingQueue().queue).withdrawalOutcomes.fail(tx, id, 'cancelled', null);

async function aSigned(): Promise<Ordered> {
  const ordered = await scene.payouts.order(await scene.payouts.merchant());
  await sign(ordered.id);
  return ordered;
}
/** Returns the broken rules, each with the kind of its row. */
async function broken(): Promise<string[]> {
  const { rules } = await database.transaction((tx) => checkRules(tx));
  return rules.flatMap(({ name, finding }) =>
    finding === null || UNPAID.includes(name) ? [] : [`${name}: ${finding.row.split(' ')[0]} ${finding.says}`],
  );
}
const tamper = (work: (tx: Tx) => Promise<unknown>): Promise<unknown> =>
  scene.payouts.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await work(tx);
  });
const setStatus = (tx: Tx, id: string, status: string): Promise<unknown> =>
  query(tx, `update chain_transaction set status = $2, finished_at = now() where purpose_id = $1`, [id, status]);

/** Writes rows as somebody with write access would, with all guards enabled. */
async function supersede(id: string): Promise<string> {
  return database.transaction(async (tx) => {
    const [sent] = await query<{ id: string }>(tx, `select id from chain_transaction where purpose_id = $1`, [id]);
    const subject = sent?.id ?? '';
    await recordAction(tx, { actor: 'mallory', reason: 'x', action: 'transaction.supersede', subject });
    await setStatus(tx, id, 'superseded');
    await fail(tx, id);
    return subject;
  });
}

it('a payment that is falsely superseded and refunded is found, although every guard held', async () => {
  const { id } = await aSigned();
  expect(await broken()).toEqual([]);
  await supersede(id);
  expect(await broken()).toEqual([
    'nonces_have_no_gaps: hot_wallet has given out 1 nonces and has 0 transactions',
    'superseded_gave_way: chain_transaction is superseded, and nothing that was taken in has its nonce',
  ]);
});

it('its own payment, adopted under another id, does not justify it', async () => {
  const { id } = await aSigned();
  const [dead, rival] = [await supersede(id), 'ctx_rival'];
  await tamper(async (tx) => {
    await query(
      tx,
      `insert into chain_transaction select (jsonb_populate_record(sent, jsonb_build_object('id', $2::text,
         'purpose', 'loss', 'purpose_id', 'los_1', 'status', 'signed', 'finished_at', null))).*
         from chain_transaction sent where id = $1`,
      [dead, rival],
    );
    await query(
      tx,
      `insert into transaction_attempt select (jsonb_populate_record(attempt, jsonb_build_object('transaction_id', $2::text))).*
         from transaction_attempt attempt where transaction_id = $1`,
      [dead, rival],
    );
    await query(
      tx,
      `insert into vault_audit (transaction_id, attempt, purpose, purpose_id, fields, verdict, tx_hash)
       select $1, 1, 'loss', 'los_1', '{}', 'adopted', tx_hash from transaction_attempt where transaction_id = $1`,
      [rival],
    );
  });
  await database.transaction(async (tx) => {
    const [hash] = await query<{ tx_hash: string }>(tx, `select tx_hash from transaction_attempt limit 1`);
    const details = { hash: hash?.tx_hash ?? '' };
    await recordAction(tx, { actor: 'mallory', reason: 'x', action: 'transaction.adopt', subject: 'los_1', details });
  });
  expect(await broken()).toEqual([
    'superseded_gave_way: chain_transaction is superseded, and nothing that was taken in has its nonce',
  ]);
});

it('a falsely abandoned payment is found, and its chain is never used again', async () => {
  const { id } = await aSigned();
  const { chainRef } = scene.chain;
  await database.transaction(async (tx) => {
    await query(tx, `update chain set active = false where id = $1`, [chainRef]);
    await setStatus(tx, id, 'abandoned');
    await fail(tx, id);
  });
  expect(await broken()).toEqual([]);
  const back = `update chain set active = true where id = $1`;
  expect(await sqlRefusalOf(database, back, [chainRef])).toContain('it is not used again');
  await tamper((tx) => query(tx, back, [chainRef]));
  expect(await broken()).toEqual(['abandoned_chains_are_gone: chain_transaction is given up, and its chain is in use']);
});

it('a withdrawal that is refunded while its transaction may be mined is found', async () => {
  const { id } = await aSigned();
  await scene.payouts.db.owner.transaction(async (tx) => {
    await query(tx, `alter table withdrawal disable trigger withdrawal_guard`);
    await fail(tx, id);
    await query(tx, `alter table withdrawal enable trigger withdrawal_guard`);
  });
  expect(await broken()).toEqual([
    'withdrawals_end_with_their_transactions: withdrawal is failed and signed, and its transaction is signed',
  ]);
});

describe('a transaction that an adopted one superseded breaks no rule', () => {
  let lost: Ordered;
  let hash: string;

  /** The chain has paid an unrecorded order with a nonce that was assigned again since. */
  beforeEach(async () => {
    const destination = Wallet.createRandom().address.toLowerCase();
    const { payouts, chain } = scene;
    lost = await payouts.order(await payouts.merchant(), { destination, minutesAgo: 5 });
    const call = transferCall({ token: payouts.chain.contract, recipient: destination, amount: 25_000_000n });
    hash = await scene.signed({ ...call, nonce: 0 });
    scene.minedAt = new Date();
    await query(database, `update chain_cursor set finalized_height = $2 where chain_ref = $1`, [
      chain.chainRef,
      AdoptionScene.minedHeight,
    ]);
  });

  it('when staff supersede it', async () => {
    await aSigned();
    expect(await scene.adopt(hash, null, { supersede: true })).toMatchObject({ nonce: 0, purposeId: lost.id });
    expect(await broken()).toEqual([]);
  });

  it('while its order waits again, and once that is signed again', async () => {
    const { id } = await aSigned();
    await database.transaction(async (tx) => {
      const [sent] = await query<{ id: string }>(tx, `select id from chain_transaction where purpose_id = $1`, [id]);
      const subject = sent?.id ?? '';
      await recordAction(tx, { actor: 'alice', reason: 'x', action: 'transaction.supersede', subject });
    });
    await tamper(async (tx) => {
      await setStatus(tx, id, 'superseded');
      await query(tx, `update withdrawal set signed_at = null where id = $1`, [id]);
      await query(tx, `update hot_wallet set next_nonce = 0`);
    });
    await scene.adopt(hash);
    expect(await broken()).toEqual([]);
    await sign(id);
    const sent = `select status, nonce from chain_transaction where purpose_id = $1 order by nonce`;
    expect(await query(database, sent, [id])).toEqual([
      { status: 'superseded', nonce: '0' },
      { status: 'signed', nonce: '1' },
    ]);
    expect(await broken()).toEqual([]);
  });
});
