import type { EntityData } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Chain } from '../offers/chain.entity.js';
import { hasErrorCode } from '../platform/processes.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { failWithoutToken, markPaidBefore, moveToSuccessors } from './left-behind-orders.sql.js';
import { claimOrders, findUnfinished, postponeOrder } from './sandbox-orders.sql.js';
import { SandboxPayment, type SandboxValidity } from './sandbox-payment.entity.js';

const UNIQUE_VIOLATION = '23505';
const CLAIM_BATCH = 100;
/** How long a claimed order is left alone; a payment on a development chain is final within about 5 s. */
const RECHECK = '2 seconds';
/** Longer than a reorg takes: one that is waited for, and one whose nodes are slow (each request ends after 15 s). */
const POSTPONED = { reorg: '6 seconds', 'slow reorg': '1 minute' } as const;
/** An order without bytes. */
const UNSIGNED = {
  sender: null,
  nonce: null,
  validity: null,
  rawTransaction: null,
  txHash: null,
} satisfies EntityData<SandboxPayment>;

/** A signed payment. */
export interface SignedPayment {
  readonly txHash: string;
  /** As the chain takes it: base64 on solana, hex elsewhere. */
  readonly raw: string;
  readonly sender: string;
  /** The sender's nonce on EVM chains. */
  readonly nonce: number | null;
  /** The blocks that can have it where transactions expire. */
  readonly validity: SandboxValidity | null;
}

/** A payment order of the sandbox that is neither final nor failed. */
export interface OpenOrder extends Omit<
  RowOf<typeof findUnfinished>,
  'toAddress' | 'amount' | 'finalizedHeight' | keyof SignedRow
> {
  readonly to: string;
  /** Smallest units. */
  readonly amount: bigint;
  /** The bytes that are sent until the payment is final; null until they are signed. */
  readonly signed: SignedPayment | null;
  /** The newest final block of the chain, as the listener recorded it. */
  readonly finalizedHeight: number;
}

/** The rows of the sandbox's payment orders. */
@Injectable()
export class SandboxOrders {
  constructor(private readonly database: Database) {}

  /** Returns the order; null when it is done or does not exist. */
  async findOpen(id: string): Promise<OpenOrder | null> {
    const [row] = await this.database.rows(findUnfinished(id));
    return row === undefined ? null : orderOf(row);
  }

  /** Claims orders that are due and makes them due again a moment later; returns their ids. */
  async claimDue(): Promise<readonly string[]> {
    const claimed = await this.database.rows(claimOrders(RECHECK, CLAIM_BATCH));
    return claimed.map(({ id }) => id);
  }

  /**
   * Stores the bytes before they are sent. `taken`: the nonce belongs to another order; `lost`: another worker was
   * faster.
   */
  async keepSigned(order: OpenOrder, signed: SignedPayment): Promise<'kept' | 'taken' | 'lost'> {
    try {
      const { sender, nonce, validity, raw: rawTransaction, txHash } = signed;
      const kept = await this.database
        .em()
        .nativeUpdate(
          SandboxPayment,
          { id: order.id, chainRef: order.chainRef, status: 'queued' },
          { status: 'signed', sender, nonce, validity, rawTransaction, txHash },
        );
      return kept === 0 ? 'lost' : 'kept';
    } catch (error) {
      if (!hasErrorCode(error, UNIQUE_VIOLATION)) throw error;
      return 'taken';
    }
  }

  /** Returns what was signed with this nonce of a sender; null when nothing was, or there are no nonces. */
  async signedWith({ chainRef }: OpenOrder, { sender, nonce }: SignedPayment): Promise<SignedPayment | null> {
    if (nonce === null) return null;
    const used = await this.database.em().findOne(SandboxPayment, { chainRef, sender, nonce });
    return used === null ? null : signedPaymentOf(used);
  }

  /**
   * Records that a node accepted the bytes, or that the final chain has them. An order that was signed again meanwhile
   * stays as it is.
   */
  async mark(order: OpenOrder, { txHash }: SignedPayment, status: 'sent' | 'final'): Promise<void> {
    await this.database.em().nativeUpdate(SandboxPayment, { id: order.id, txHash }, { status });
  }

  /** Fails an order whose transaction is final and reverted. Its nonce is used. */
  async failReverted(order: OpenOrder, { txHash }: SignedPayment): Promise<void> {
    const failure = 'The transfer was reverted.';
    await this.database.em().nativeUpdate(SandboxPayment, { id: order.id, txHash }, { status: 'failed', failure });
  }

  /**
   * Drops bytes that can no longer be mined, or that the chain refused and does not have. Their nonce is free for the
   * next order. The order is signed again, or fails with `failure`.
   */
  async release(order: OpenOrder, { txHash }: SignedPayment, failure: string | null): Promise<void> {
    const status = failure === null ? 'queued' : 'failed';
    await this.database.em().nativeUpdate(SandboxPayment, { id: order.id, txHash }, { status, failure, ...UNSIGNED });
  }

  /** Leaves an order alone while a reorg drops its payment. */
  async postpone(tx: Tx, id: string, why: keyof typeof POSTPONED): Promise<void> {
    await rows(tx, postponeOrder(id, POSTPONED[why]));
  }

  /** Fails an order whose bytes were dropped for good, and frees their nonce. */
  async giveUp(id: string, txHash: string, failure: string): Promise<void> {
    await this.database.em().nativeUpdate(SandboxPayment, { id, txHash }, { status: 'failed', failure, ...UNSIGNED });
  }

  /**
   * Takes open orders off replaced development chains. Payments that were final there are in the books, and are not
   * paid again. An order whose token the successor does not have fails; the others move, and are signed again.
   */
  async leaveReplacedChains(): Promise<void> {
    const replaced = await this.database.em().findOne(Chain, { environment: 'sandbox', active: false });
    if (replaced === null) return;
    for (const statement of [markPaidBefore, failWithoutToken, moveToSuccessors]) await this.database.rows(statement);
  }
}

function orderOf({ toAddress, amount, finalizedHeight, ...row }: RowOf<typeof findUnfinished>): OpenOrder {
  return {
    ...row,
    to: toAddress,
    amount: BigInt(amount),
    signed: signedPaymentOf(row),
    finalizedHeight: Number(finalizedHeight),
  };
}

/** A signed payment, as it is stored, in an entity or in a row of a statement. */
type SignedRow = Pick<SandboxPayment, 'sender' | 'validity' | 'rawTransaction' | 'txHash'> & {
  readonly nonce: SandboxPayment['nonce'] | RowOf<typeof findUnfinished>['nonce'];
};

function signedPaymentOf({ sender, nonce, validity, rawTransaction: raw, txHash }: SignedRow): SignedPayment | null {
  if (sender === null || raw === null || txHash === null) return null;
  return { sender, nonce: nonce === null ? null : Number(nonce), validity, raw, txHash };
}
