import { Injectable } from '@nestjs/common';
import { SUCCESSIONS } from '../offers/replaced-chains.js';
import type { SignedTransfer } from '../devtools/devnet/test-transfer.js';
import { hasErrorCode } from '../platform/processes.js';
import { Database } from '../platform/database/database.js';
import { TERMINAL_STATUSES } from '../domain/intent-state.js';
import { textList } from '../platform/database/text-list.js';

const UNIQUE_VIOLATION = '23505';
const CLAIM_BATCH = 100;
/** How long a claimed order is left alone; a payment on a development chain is final within about 5 s. */
const RECHECK = `interval '2 seconds'`;

/** A payment order of the sandbox that is neither final nor failed. */
export interface OpenOrder {
  readonly id: string;
  readonly chainRef: string;
  readonly genesisHash: string;
  readonly network: string;
  /** Symbol of the token. */
  readonly token: string;
  readonly tokenContract: string;
  readonly to: string;
  /** Smallest units. */
  readonly amount: bigint;
  readonly status: 'queued' | 'signed' | 'sent';
  /** The bytes that are sent until the payment is final; null until they are signed. */
  readonly signed: SignedTransfer | null;
  /** The newest final block of the chain, as the listener recorded it. */
  readonly finalizedHeight: number;
}

interface OrderRow {
  id: string;
  chain_ref: string;
  genesis_hash: string;
  network: string;
  token: string;
  token_contract: string;
  to_address: string;
  amount: string;
  status: OpenOrder['status'];
  sender: string | null;
  nonce: string | null;
  raw_transaction: string | null;
  tx_hash: string | null;
  finalized_height: string;
}

/** The rows of the sandbox's payment orders. */
@Injectable()
export class SandboxOrders {
  constructor(private readonly database: Database) {}

  /** Returns the order; null when it is done or does not exist. */
  async findOpen(id: string): Promise<OpenOrder | null> {
    const [row] = await this.database.query<OrderRow>(
      `select payment.id, payment.chain_ref, chain.genesis_hash, chain.network, token.symbol as token,
              payment.token_contract, payment.to_address, payment.amount, payment.status, payment.sender, payment.nonce,
              payment.raw_transaction, payment.tx_hash, cursor.finalized_height
         from sandbox_payment payment join chain on chain.id = payment.chain_ref
         join chain_cursor cursor on cursor.chain_ref = chain.id
         join chain_token token on token.chain_ref = payment.chain_ref and token.contract = payment.token_contract
        where payment.id = $1 and payment.status in ('queued', 'signed', 'sent')`,
      [id],
    );
    return row === undefined ? null : orderOf(row);
  }

  /** Claims orders that are due and makes them due again a moment later; returns their ids. */
  async claimDue(): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(
      `update sandbox_payment set due_at = now() + ${RECHECK}
        where id in (select id from sandbox_payment
                      where status in ('queued', 'signed', 'sent') and due_at <= now()
                      order by due_at limit $1 for update skip locked)
        returning id`,
      [CLAIM_BATCH],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Stores the bytes before they are sent. `taken`: the nonce belongs to another order; `lost`: another worker was
   * faster.
   */
  async keepSigned(order: OpenOrder, signed: SignedTransfer): Promise<'kept' | 'taken' | 'lost'> {
    try {
      const kept = await this.database.query(
        `update sandbox_payment set status = 'signed', sender = $3, nonce = $4, raw_transaction = $5, tx_hash = $6
          where id = $1 and chain_ref = $2 and status = 'queued' returning id`,
        [order.id, order.chainRef, signed.sender, signed.nonce, signed.raw, signed.txHash],
      );
      return kept.length === 0 ? 'lost' : 'kept';
    } catch (error) {
      if (!hasErrorCode(error, UNIQUE_VIOLATION)) throw error;
      return 'taken';
    }
  }

  /** Returns what was signed with this nonce of a sender; null when nothing was. */
  async signedWith({ chainRef }: OpenOrder, { sender, nonce }: SignedTransfer): Promise<SignedTransfer | null> {
    const [row] = await this.database.query<{ raw_transaction: string; tx_hash: string }>(
      `select raw_transaction, tx_hash from sandbox_payment where chain_ref = $1 and sender = $2 and nonce = $3`,
      [chainRef, sender, nonce],
    );
    return row === undefined ? null : { sender, nonce, raw: row.raw_transaction, txHash: row.tx_hash };
  }

  /**
   * Records that a node accepted the bytes, or that the final chain has them. An order that was signed again meanwhile
   * stays as it is.
   */
  async mark(order: OpenOrder, { txHash }: SignedTransfer, status: 'sent' | 'final'): Promise<void> {
    await this.database.query(`update sandbox_payment set status = $3 where id = $1 and tx_hash = $2`, [
      order.id,
      txHash,
      status,
    ]);
  }

  /** Fails an order whose transaction is final and reverted. Its nonce is used. */
  async failReverted(order: OpenOrder, { txHash }: SignedTransfer): Promise<void> {
    await this.database.query(
      `update sandbox_payment set status = 'failed', failure = 'The transfer was reverted.'
        where id = $1 and tx_hash = $2`,
      [order.id, txHash],
    );
  }

  /**
   * Drops bytes that can no longer be mined, or that the chain refused and does not have. Their nonce is free for the
   * next order. The order is signed again, or fails with `failure`.
   */
  async release(order: OpenOrder, { txHash }: SignedTransfer, failure: string | null): Promise<void> {
    await this.database.query(
      `update sandbox_payment
          set status = case when $3::text is null then 'queued' else 'failed' end, failure = $3,
              sender = null, nonce = null, raw_transaction = null, tx_hash = null
        where id = $1 and tx_hash = $2`,
      [order.id, txHash, failure],
    );
  }

  /**
   * Takes open orders off replaced development chains. Payments that were final there are in the books, and are not
   * paid again. An order whose token the successor does not have fails; the others move, and are signed again.
   */
  async leaveReplacedChains(): Promise<void> {
    const replaced = await this.database.query(
      `select from chain where environment = 'sandbox' and not active limit 1`,
    );
    if (replaced.length === 0) return;
    await this.database.query(
      `update sandbox_payment payment set status = 'final'
         from chain replaced where ${IS_ON_REPLACED} and payment.status in ('signed', 'sent')
          and (${hasDeposit('payment')} or ${IS_COVERED})`,
    );
    await this.database.query(
      `update sandbox_payment payment
          set status = 'failed', failure = 'The chain was replaced, and the new one does not have this token.'
         from chain replaced where ${IS_ON_REPLACED} and payment.status in ('queued', 'signed', 'sent')
          and not exists (select from chain successor join chain_token token on token.chain_ref = successor.id
                           where successor.active and token.contract = payment.token_contract
                             and (successor.environment, successor.network, successor.chain_id)
                               = (replaced.environment, replaced.network, replaced.chain_id))`,
    );
    await this.moveToSuccessors();
  }

  /** An order follows its intent; that of an intent that has ended moves by itself. */
  private async moveToSuccessors(): Promise<void> {
    await this.database.query(
      `update sandbox_payment payment
          set chain_ref = succession.successor, status = 'queued', sender = null, nonce = null, raw_transaction = null,
              tx_hash = null, due_at = date_trunc('milliseconds', now())
         from (select replaced.id as replaced, successor.id as successor from ${SUCCESSIONS}) succession
         join chain_token token on token.chain_ref = succession.successor
         cross join payment_intent intent
        where payment.chain_ref = succession.replaced and payment.status in ('queued', 'signed', 'sent')
          and token.contract = payment.token_contract and intent.id = payment.intent_id
          and (intent.chain_ref = succession.successor
               or intent.status in ${textList(TERMINAL_STATUSES)})`,
    );
  }
}

/** SQL: the chain (`replaced`) of an order (`payment`) was replaced. */
const IS_ON_REPLACED = `replaced.id = payment.chain_ref and replaced.environment = 'sandbox' and not replaced.active`;

/** SQL: a final deposit is the order's transaction. */
const hasDeposit = (order: string): string => `exists (
  select from deposit where deposit.chain_ref = ${order}.chain_ref and deposit.tx_hash = ${order}.tx_hash
                        and deposit.status = 'confirmed')`;

/** SQL: the sum of the final remainders on the address of an order (`payment`), in its token. */
const REMAINDERS = `(
  select coalesce(sum(deposit.amount), 0) from deposit join pool_address address on address.id = deposit.address_id
   where address.intent_id = payment.intent_id and deposit.chain_ref = payment.chain_ref
     and deposit.token_contract = payment.token_contract and deposit.status = 'confirmed' and deposit.tx_hash is null)`;

/**
 * SQL: remainders cover an order (`payment`) and those before it that have no deposit of their own. One that is larger
 * than all remainders is in none of them.
 */
const IS_COVERED = `(payment.amount <= ${REMAINDERS} and ${REMAINDERS} >= (
  select sum(earlier.amount) from sandbox_payment earlier
   where earlier.intent_id = payment.intent_id and earlier.chain_ref = payment.chain_ref
     and earlier.token_contract = payment.token_contract and earlier.status in ('signed', 'sent', 'final')
     and (earlier.status = 'final' or (earlier.created_at, earlier.id) <= (payment.created_at, payment.id))
     and earlier.amount <= ${REMAINDERS} and not ${hasDeposit('earlier')}))`;

function orderOf(row: OrderRow): OpenOrder {
  return {
    id: row.id,
    chainRef: row.chain_ref,
    genesisHash: row.genesis_hash,
    network: row.network,
    token: row.token,
    tokenContract: row.token_contract,
    to: row.to_address,
    amount: BigInt(row.amount),
    status: row.status,
    signed: signedTransferOf(row),
    finalizedHeight: Number(row.finalized_height),
  };
}

function signedTransferOf({ sender, nonce, raw_transaction: raw, tx_hash: txHash }: OrderRow): SignedTransfer | null {
  if (sender === null || nonce === null || raw === null || txHash === null) return null;
  return { sender, nonce: Number(nonce), raw, txHash };
}
