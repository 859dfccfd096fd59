import { toBeHex, zeroPadValue } from 'ethers';
import type { SeededChain } from '../../../test/support/factories.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { query } from '../../../test/support/sql.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { TRANSFER_TOPIC } from '../../chains/evm/transfer-log.js';
import type { LogEntry } from '../../chains/log-entry.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { SWEEP_BATCH } from '../../chains/evm/sweep-contracts.js';
import { ReturnedRents } from './expiring/returned-rents.service.js';
import { SweepOutcomeHandler } from './sweep-outcome-handler.service.js';

const HEIGHT = 97;

let scene: PayoutScene;
let chain: SeededChain;
let handler: SweepOutcomeHandler;
const metrics = new Metrics();

beforeAll(async () => {
  scene = await PayoutScene.open();
  handler = new SweepOutcomeHandler(
    scene.database,
    metrics,
    new ReturnedRents(new LedgerService()),
    createLogger('silent'),
  );
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
});

const aLog = (address: string, topics: readonly string[], data: string): LogEntry => ({
  blockHash: '0x',
  txHash: '0x',
  logIndex: 0,
  address,
  topics,
  data,
  removed: false,
});

/** A sweep that was signed. */
async function signed(items: number) {
  const sweep = await aPlannedSweep(scene, chain, { nonces: Array.from({ length: items }, () => null) });
  await vaultServices(scene.database, new RecordingQueue().queue).sweeps.sign(scene.vault, 'sweep', sweep.id);
  const [row] = await scene.query<{ sender: string; batch: string }>(
    `select sender, destination as batch from chain_transaction where purpose_id = $1`,
    [sweep.id],
  );
  return { ...sweep, sender: row?.sender ?? '', batch: row?.batch ?? '' };
}

/** Its transaction is final. */
async function end(id: string, succeeded: boolean, logs: readonly LogEntry[] = []): Promise<void> {
  await scene.database.transaction(async (tx) => {
    const [row] = await query<{ id: string; tx_hash: string }>(
      tx,
      `select id, tx_hash from chain_transaction join transaction_attempt on transaction_id = id where purpose_id = $1`,
      [id],
    );
    await query(
      tx,
      `update chain_transaction set status = $2, mined_hash = $3, mined_height = $4, fee_paid = 1, finished_at = now()
        where id = $1`,
      [row?.id ?? '', succeeded ? 'succeeded' : 'reverted', row?.tx_hash ?? '', HEIGHT],
    );
    const outcome = { transactionId: row?.id ?? '', txHash: row?.tx_hash ?? '', height: HEIGHT };
    await handler.ended(tx, [{ ...outcome, purposeId: id, succeeded, fee: 1n, returnedRent: 0n, lost: null, logs }]);
  });
}

/** Of each item in its order. */
async function failures(id: string): Promise<number[]> {
  const rows = await scene.query<{ failures: number; sweep_id: string | null }>(
    `select balance.failures, balance.sweep_id from sweep_item item
       join deposit_balance balance using (chain_ref, token_contract, address_id)
      where item.sweep_id = $1 order by position`,
    [id],
  );
  expect(rows.map((row) => row.sweep_id)).toEqual(rows.map(() => null));
  return rows.map((row) => row.failures);
}

describe('a final sweep', () => {
  it.each([
    { items: 3, failed: [0, 0, 0] },
    { items: 1, failed: [1] },
  ])('of $items that was reverted as a whole is no failure of its items, unless there was but one', async (sweep) => {
    const { id } = await signed(sweep.items);
    await end(id, false);
    expect(await failures(id)).toEqual(sweep.failed);
  });

  it('that stopped for want of gas counts only what it tried', async () => {
    const { id, addresses, sender, batch } = await signed(4);
    const [first = ''] = addresses.map(({ addressKey }) => addressKey);
    const ends = [first, sender].map((address) => zeroPadValue(address, 32));
    const topic = SWEEP_BATCH.getEvent('StoppedAt')?.topicHash ?? '';
    await end(id, true, [
      aLog(chain.contract, [TRANSFER_TOPIC, ...ends], toBeHex(5n, 32)),
      aLog(batch, [topic], toBeHex(2n, 32)),
    ]);
    expect(await failures(id)).toEqual([0, 1, 0, 0]);
    const published = await metrics.registry.metrics();
    for (const [outcome, count] of Object.entries({ swept: 1, failed: 1, untried: 2 })) {
      expect(published).toContain(
        `coffer_sweep_items_total{chain="${chain.chainRef}",outcome="${outcome}"} ${count}\n`,
      );
    }
  });
});

/** Makes a sweep so old, which its guard forbids. */
async function grow(id: string, minutes: number, reason: string | null): Promise<void> {
  const { database } = scene;
  await query(scene.db.owner, `alter table sweep disable trigger sweep_guard`);
  await query(
    database,
    `update sweep set waiting_reason = $2, created_at = now() - $3 * interval '1 minute' where id = $1`,
    [id, reason, minutes],
  );
  await query(scene.db.owner, `alter table sweep enable trigger sweep_guard`);
}

describe('a sweep that is not signed', () => {
  it.each([
    { reason: null, minutes: 50, isOver: false },
    { reason: null, minutes: 61, isOver: true },
    { reason: 'gas_missing', minutes: 1, isOver: false },
    { reason: 'gas_missing', minutes: 3, isOver: true },
  ])('for $minutes minutes because of $reason: given up $isOver', async ({ reason, minutes, isOver }) => {
    const { id } = await aPlannedSweep(scene, chain);
    await grow(id, minutes, reason);
    await handler.giveUp();
    const [row] = await scene.query<{ over: boolean }>(
      `select finished_at is not null as over from sweep where id = $1`,
      [id],
    );
    expect(row).toEqual({ over: isOver });
    if (isOver) expect(await failures(id)).toEqual([0, 0]);
  });

  it('is not given up once it is signed', async () => {
    const { id } = await signed(1);
    await grow(id, 120, null);
    await handler.giveUp();
    expect(await scene.query(`select from sweep where id = $1 and finished_at is null`, [id])).toHaveLength(1);
  });
});
