import type { SeededChain } from '../../../test/support/factories.js';
import { forEveryPurpose } from '../../../test/support/outcomes.js';
import { type Ordered, PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { query } from '../../../test/support/sql.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { expectPayoutsInOrder, payoutOf, withdrawalEvents } from '../../../test/withdrawals/payouts.js';
import type { TransactionReceipt } from '../../chains/outgoing.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { createLogger } from '../../platform/logging.js';
import { minedAttempt, type MinedTransaction, OutcomeRecorder } from './outcome-recorder.service.js';

/** `aChain` makes what is three blocks deep final. */
const FINAL = 97;
const OUR_BLOCK = `0x${'97'.repeat(32)}`;
const OTHER_BLOCK = `0x${'79'.repeat(32)}`;

let scene: PayoutScene;
let chain: SeededChain;
let recorder: OutcomeRecorder;

beforeAll(async () => {
  scene = await PayoutScene.open();
  const outcomes = forEveryPurpose(vaultServices(scene.database, new RecordingQueue().queue).withdrawalOutcomes);
  recorder = new OutcomeRecorder(scene.database, new LedgerService(), outcomes, createLogger('silent'));
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
  await scene.query(
    `insert into chain_block (chain_ref, height, hash, parent_hash, block_time) values ($1, $2, $3, '0x', now())`,
    [chain.chainRef, FINAL, OUR_BLOCK],
  );
});

/** A withdrawal whose transaction is signed. */
async function signed(): Promise<Ordered> {
  const ordered = await scene.order(await scene.merchant(), { chain });
  await scene.signer.sign(scene.vault, ordered.id);
  return ordered;
}

/** The mined transaction of a withdrawal with a node's receipt. */
async function mined({ id }: Ordered, overrides: Partial<TransactionReceipt> = {}): Promise<MinedTransaction> {
  const [row] = await scene.query<{ id: string }>(
    `select id from chain_transaction where purpose = 'withdrawal' and purpose_id = $1`,
    [id],
  );
  const { attempts = [] } = (await payoutOf(scene.database, id)) ?? {};
  const hashes = attempts.map(({ txHash }) => txHash);
  const receipt = {
    txHash: hashes[0] ?? '',
    blockHash: OUR_BLOCK,
    height: FINAL,
    succeeded: true,
    gasUsed: 50_000n,
    effectiveGasPrice: 31_000_000_000n,
    logs: [],
    ...overrides,
  };
  return [{ id: row?.id ?? '', purpose: 'withdrawal' }, minedAttempt(receipt)];
}

const end = async (payment: Ordered, overrides: Partial<TransactionReceipt> = {}): Promise<void> =>
  recorder.end([await mined(payment, overrides)]);

async function stateOf({ id }: Ordered) {
  const [row] = await scene.query<{ status: string }>(`select status from withdrawal where id = $1`, [id]);
  const payout = await payoutOf(scene.database, id);
  return [row?.status, payout?.status, await withdrawalEvents(scene.database, id)];
}

const OPEN = ['broadcasting', 'signed', []];
const COMPLETED = ['completed', 'succeeded', ['withdrawal.completed']];

describe('a payment', () => {
  it.each([true, false])('ends by the receipt of a final block that is ours: it succeeded = %s', async (succeeded) => {
    const payment = await signed();
    await end(payment, { succeeded });
    expect(await stateOf(payment)).toEqual(
      succeeded ? ['completed', 'succeeded', ['withdrawal.completed']] : ['failed', 'reverted', ['withdrawal.failed']],
    );
  });

  it('does not end while operators have halted its chain, whatever the nodes say, and ends once they clear it', async () => {
    const payment = await signed();
    const halt = (reason: string | null): Promise<unknown> =>
      scene.query(`update chain_cursor set halted_reason = $2 where chain_ref = $1`, [chain.chainRef, reason]);
    await halt('Staff are looking into it.');
    await end(payment);
    await end(payment, { succeeded: false });
    expect(await stateOf(payment)).toEqual(OPEN);
    await halt(null);
    await end(payment);
    expect(await stateOf(payment)).toEqual(['completed', 'succeeded', ['withdrawal.completed']]);
  });

  it('does not end by a block above what is final by our own record [I-116]', async () => {
    const payment = await signed();
    await end(payment, { height: FINAL + 1 });
    expect(await stateOf(payment)).toEqual(OPEN);
  });

  it('does not end by another block than the one that is recorded at that height [I-115]', async () => {
    const payment = await signed();
    await end(payment, { blockHash: OTHER_BLOCK });
    expect(await stateOf(payment)).toEqual(OPEN);
  });

  it('ends once and is booked once, however often it is reported', async () => {
    const payment = await signed();
    await Promise.all([end(payment), end(payment), end(payment, { succeeded: false })]);
    const [status] = await stateOf(payment);
    expect(await withdrawalEvents(scene.database, payment.id)).toEqual([`withdrawal.${String(status)}`]);
  });

  it('ends in one transaction with others of its chain, each by its own receipt', async () => {
    const [paid, reverted, orphaned] = [await signed(), await signed(), await signed()];
    await recorder.end([
      await mined(paid),
      await mined(reverted, { succeeded: false }),
      await mined(orphaned, { blockHash: OTHER_BLOCK }),
    ]);
    expect(await Promise.all([paid, reverted, orphaned].map(stateOf))).toEqual([
      ['completed', 'succeeded', ['withdrawal.completed']],
      ['failed', 'reverted', ['withdrawal.failed']],
      OPEN,
    ]);
    const entries = await scene.query<{ written_by: string }>(
      `select distinct xmin::text as written_by from entry where split_part(reference, ':', 2) = any($1)
          and kind in ('withdrawal_paid', 'withdrawal_refund')`,
      [[paid.id, reverted.id]],
    );
    expect(entries).toHaveLength(1);
    await expectPayoutsInOrder(scene.database);
  });

  it('whose outcome cannot be recorded delays no other, and ends later', async () => {
    const payments = [await signed(), await signed(), await signed()];
    const all = await Promise.all(payments.map((payment) => mined(payment)));
    const setPocket = (pocketId: string): Promise<unknown> =>
      scene.db.owner.transaction(async (tx) => {
        await query(tx, `set local session_replication_role = replica`);
        await query(tx, `update withdrawal set pocket_id = $2 where id = $1`, [payments[1]?.id ?? '', pocketId]);
      });
    await setPocket('pkt_unknown');
    await recorder.end(all);
    const [status] = COMPLETED;
    expect((await Promise.all(payments.map(stateOf))).map(([each]) => each)).toEqual([status, 'broadcasting', status]);
    await setPocket(payments[1]?.pocketId ?? '');
    await recorder.end(all);
    expect(await Promise.all(payments.map(stateOf))).toEqual([COMPLETED, COMPLETED, COMPLETED]);
  });
});
