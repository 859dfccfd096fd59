import { Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import type { UnattributedReason } from '../intents/deposit.entity.js';
import { markDirty } from '../intents/dirty-intents.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { failpoint } from '../platform/failpoints.js';
import { assertLease } from '../platform/leases.js';
import type { ChainStep, Cursor, ReadBlock } from './chain-reader.js';

/** Blocks kept below finality: enough to find the ancestor of any reorg that finality allows. */
const BLOCKS_KEPT_BELOW_FINALITY = 64;

/** Who records, and under which fencing token. */
export interface RecorderLease {
  readonly name: string;
  readonly epoch: number;
}

/** The cursor was moved by somebody else: this step is void. */
export class CursorMoved extends Error {
  constructor(chainRef: string) {
    super(`The cursor of ${chainRef} is not where this step started.`);
    this.name = 'CursorMoved';
  }
}

interface SightingRow {
  id: string;
  tokenContract: string;
  txHash: string;
  position: number;
  from: string;
  to: string;
  amount: string;
  blockHeight: number;
  blockHash: string;
  blockTime: Date;
}

/** Writes what a step found: deposits, orphan marks, finality and the cursor, in one transaction. */
@Injectable()
export class DepositRecorder {
  constructor(private readonly database: Database) {}

  /**
   * Records the step and returns the intents whose facts changed; they are in the dirty set when this returns.
   * @param readAt the database's time before the head was read
   * @throws CursorMoved when another process got ahead, LeaseLost when this one no longer leads.
   */
  async record(
    chainRef: string,
    cursor: Cursor,
    step: ChainStep,
    lease: RecorderLease,
    readAt: Date,
  ): Promise<readonly string[]> {
    // A look that found nothing passes no failpoint: whoever arms one means a step that holds something.
    const isNews = step.blocks.length > 0;
    if (isNews) failpoint('chain.cursor_before');
    const touched = await this.database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      await this.moveCursor(tx, chainRef, cursor, step, lease.epoch, readAt);
      const sightings = sightingRowsOf(step.blocks);
      // Marks before deposits, as the settlement locks them: in the other order the two could wait for each other.
      await markDirty(tx, await this.aboutToChange(tx, chainRef, step, sightings));
      const intents = new Set<string>();
      const remember = (rows: readonly { intent_id: string | null }[]): void => {
        for (const row of rows) if (row.intent_id !== null) intents.add(row.intent_id);
      };
      if (step.rollbackTo !== null) remember(await this.rollBack(tx, chainRef, step.rollbackTo.height));
      if (step.blocks.length > 0) await this.recordBlocks(tx, chainRef, step.blocks, step.finalizedHeight);
      remember(await this.recordDeposits(tx, chainRef, sightings));
      if (isNews) failpoint('chain.observed');
      remember(await this.confirm(tx, chainRef, step.finalizedHeight));
      await markDirty(tx, [...intents]);
      return [...intents];
    });
    if (isNews) failpoint('chain.cursor_after');
    return touched;
  }

  /**
   * Stops a chain until staff have looked and cleared the reason: nothing is credited on it meanwhile.
   * @throws LeaseLost when this process no longer leads.
   */
  async halt(chainRef: string, reason: string, lease: RecorderLease): Promise<void> {
    await this.database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      await sql(tx, `update chain_cursor set halted_reason = $2 where chain_ref = $1`, [chainRef, reason]);
    });
  }

  private async moveCursor(
    tx: Tx,
    chainRef: string,
    cursor: Cursor,
    step: ChainStep,
    epoch: number,
    readAt: Date,
  ): Promise<void> {
    const last = step.blocks.at(-1)?.header;
    const top = last ?? step.rollbackTo ?? cursor;
    const moved = await sql(
      tx,
      `update chain_cursor
          set height = $4, hash = $5, head_height = $6, finalized_height = $7, epoch = $8,
              block_time = top.time,
              -- After a rollback that does not reach the head again, we know the chain as it was at that block.
              synced_at = case when $10 then $11 when $12 then least(synced_at, top.time) else synced_at end
         from (select coalesce($9::timestamptz, (select block_time from chain_block where chain_ref = $1 and height = $4),
                               (select block_time from chain_cursor where chain_ref = $1)) as time) as top
        where chain_ref = $1 and height = $2 and hash = $3 and epoch <= $8 and halted_reason is null
        returning chain_ref`,
      [
        chainRef,
        cursor.height,
        cursor.hash,
        top.height,
        top.hash,
        step.headHeight,
        step.finalizedHeight,
        epoch,
        last?.time ?? null,
        step.isLevel,
        readAt,
        step.rollbackTo !== null,
      ],
    );
    if (moved.length === 0) throw new CursorMoved(chainRef);
  }

  /** The intents whose stored deposits this step may touch. Only the holder of the cursor changes deposits of a chain. */
  private async aboutToChange(
    tx: Tx,
    chainRef: string,
    step: ChainStep,
    rows: readonly SightingRow[],
  ): Promise<readonly string[]> {
    const found = await sql<{ intent_id: string }>(
      tx,
      `select intent_id from deposit
        where chain_ref = $1 and status = 'seen' and (block_height <= $2 or block_height > $3) and intent_id is not null
        union
       select intent_id from deposit
        where chain_ref = $1 and tx_hash = any($4::text[]) and status <> 'confirmed' and intent_id is not null`,
      [
        chainRef,
        step.finalizedHeight,
        step.rollbackTo?.height ?? Number.MAX_SAFE_INTEGER,
        rows.map((row) => row.txHash),
      ],
    );
    return found.map((row) => row.intent_id);
  }

  private async rollBack(tx: Tx, chainRef: string, height: number): Promise<{ intent_id: string | null }[]> {
    await sql(tx, `delete from chain_block where chain_ref = $1 and height > $2`, [chainRef, height]);
    return sql(
      tx,
      `update deposit set status = 'orphaned'
        where chain_ref = $1 and status = 'seen' and block_height > $2 returning intent_id`,
      [chainRef, height],
    );
  }

  private async recordBlocks(
    tx: Tx,
    chainRef: string,
    blocks: readonly ReadBlock[],
    finalizedHeight: number,
  ): Promise<void> {
    // Blocks that are here already are read again after the cursor was set back.
    await sql(
      tx,
      `insert into chain_block (chain_ref, height, hash, parent_hash, block_time)
       select $1, * from unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[])
       on conflict (chain_ref, height) do update
         set hash = excluded.hash, parent_hash = excluded.parent_hash, block_time = excluded.block_time`,
      [
        chainRef,
        blocks.map((block) => block.header.height),
        blocks.map((block) => block.header.hash),
        blocks.map((block) => block.header.parentHash),
        blocks.map((block) => block.header.time),
      ],
    );
    await sql(tx, `delete from chain_block where chain_ref = $1 and height < $2`, [
      chainRef,
      finalizedHeight - BLOCKS_KEPT_BELOW_FINALITY,
    ]);
  }

  /**
   * Stores sightings and attributes them. A transaction that a reorg put into another block keeps its row: its identity
   * is (chain, transaction, position in the receipt). A final row is left alone, so reading a block again is harmless.
   */
  private async recordDeposits(
    tx: Tx,
    chainRef: string,
    rows: readonly SightingRow[],
  ): Promise<{ intent_id: string | null }[]> {
    if (rows.length === 0) return [];
    await this.holdAssignments(tx, rows);
    const stored = await sql<{ intent_id: string | null; address_id: string; reason: UnattributedReason | null }>(
      tx,
      `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
         block_height, block_hash, block_time, status, address_id, intent_id, merchant_id, unattributed_reason)
       select seen.id, $1, seen.token, seen.tx_hash, seen.position, seen.sender, seen.recipient, seen.amount,
              seen.height, seen.hash, seen.time, 'seen', address.id,
              case when intent.chain_ref = $1 and intent.token_contract = seen.token then intent.id end,
              case when intent.chain_ref = $1 and intent.token_contract = seen.token then intent.merchant_id end,
              case when intent.id is null then 'address_not_assigned'
                   when intent.chain_ref <> $1 then 'other_network'
                   when intent.token_contract <> seen.token then 'other_token' end
         from unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::numeric[],
                     $9::bigint[], $10::text[], $11::timestamptz[])
           as seen (id, token, tx_hash, position, sender, recipient, amount, height, hash, time)
         join pool_address address on address.address_key = seen.recipient
         left join payment_intent intent on intent.id = address.intent_id
       on conflict (chain_ref, tx_hash, position) do update
         set status = 'seen', token_contract = excluded.token_contract, from_address = excluded.from_address,
             to_address = excluded.to_address, amount = excluded.amount, address_id = excluded.address_id,
             intent_id = excluded.intent_id, merchant_id = excluded.merchant_id,
             unattributed_reason = excluded.unattributed_reason,
             block_height = excluded.block_height, block_hash = excluded.block_hash, block_time = excluded.block_time
         where deposit.status <> 'confirmed'
       returning intent_id, address_id, unattributed_reason as reason`,
      [
        chainRef,
        rows.map((row) => row.id),
        rows.map((row) => row.tokenContract),
        rows.map((row) => row.txHash),
        rows.map((row) => row.position),
        rows.map((row) => row.from),
        rows.map((row) => row.to),
        rows.map((row) => row.amount),
        rows.map((row) => row.blockHeight),
        rows.map((row) => row.blockHash),
        rows.map((row) => row.blockTime),
      ],
    );
    await this.retireTouched(
      tx,
      stored.filter((row) => row.reason === 'address_not_assigned').map((row) => row.address_id),
    );
    return stored;
  }

  /** Until this step commits, a free address that it found money on cannot be handed out. */
  private async holdAssignments(tx: Tx, rows: readonly SightingRow[]): Promise<void> {
    await sql(
      tx,
      `select from pool_address where address_key = any($1) and intent_id is null order by id for no key update`,
      [rows.map((row) => row.to)],
    );
  }

  /** An address that got money before it was handed out is never handed out: whose money would the next be? */
  private async retireTouched(tx: Tx, addressIds: readonly string[]): Promise<void> {
    if (addressIds.length === 0) return;
    await sql(tx, `update pool_address set retired_at = now() where id = any($1) and intent_id is null`, [addressIds]);
  }

  private confirm(tx: Tx, chainRef: string, finalizedHeight: number): Promise<{ intent_id: string | null }[]> {
    return sql(
      tx,
      `update deposit set status = 'confirmed', confirmed_at = now()
        where chain_ref = $1 and status = 'seen' and block_height <= $2 returning intent_id`,
      [chainRef, finalizedHeight],
    );
  }
}

function sightingRowsOf(blocks: readonly ReadBlock[]): SightingRow[] {
  return blocks.flatMap(({ header, sightings }) =>
    sightings.map((sighting) => ({
      id: newId('dep_'),
      tokenContract: sighting.token,
      txHash: sighting.txHash,
      position: sighting.position,
      from: sighting.from,
      to: sighting.to,
      amount: sighting.amount.toString(),
      blockHeight: header.height,
      blockHash: header.hash,
      blockTime: header.time,
    })),
  );
}
