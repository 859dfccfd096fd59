import { Injectable } from '@nestjs/common';
import { addressFamilyOf, type Network } from '../../domain/network.js';
import {
  type FeeStrategy,
  isPaymentRefusal,
  type PaymentRefusal,
  type WaitingReason,
} from '../../domain/outgoing-payment.js';
import { type Tx, sql } from '../../platform/database/database.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import type { Vault } from '../../vault/vault.js';
import { recordRefusal } from '../vault-records.js';
import { NO_AUTHORIZATIONS } from './checked-signature.js';
import type { RunOutcomes } from './signing-run.js';
import type { PaymentPurpose, TransferOrder } from './transaction-order.js';
import { type OrderRules, type SigningDecision, TransactionSigner } from './transaction-signer.service.js';

/** A locked order to pay somebody. `Own` are the waiting reasons of its kind alone. */
export interface PaymentOrder<Own extends string> {
  readonly id: string;
  readonly network: Network;
  readonly strategy: FeeStrategy;
  readonly transfer: TransferOrder;
  readonly waitingReason: WaitingReason | Own | null;
}

/** Why a payment fails before anything is signed for it. */
export type PaymentFailure = PaymentRefusal | 'address_blocked';

/** The specifics of one purpose, which is also the name of its table. */
export interface PaymentKind<Order extends PaymentOrder<Own>, Own extends string> {
  readonly purpose: PaymentPurpose;
  /**
   * Locks and returns the unsigned orders among these ids, the oldest first; skips those that another transaction has
   * locked.
   */
  lock(tx: Tx, ids: readonly string[]): Promise<readonly Order[]>;
  /** Returns the rules for orders of one chain, beside their wallet and their simulations. */
  rules(tx: Tx, orders: readonly Order[]): Promise<OrderRules<WaitingReason | Own>>;
  /** Records why orders wait. */
  wait(tx: Tx, waiting: readonly (readonly [Order, WaitingReason | Own])[]): Promise<void>;
  /** Fails an unsigned order and refunds its amount. */
  fail(tx: Tx, id: string, code: PaymentFailure): Promise<void>;
}

const isFailure = (decision: string): decision is PaymentFailure =>
  decision === 'address_blocked' || isPaymentRefusal(decision);

/** Signs orders that pay somebody: the common part of withdrawals and refunds. */
@Injectable()
export class PaymentSigner {
  constructor(
    private readonly sanctions: SanctionsList,
    private readonly signing: TransactionSigner,
  ) {}

  /**
   * Signs the orders of one chain that can be signed, fails those that can never be paid, and records why the others
   * wait. Joins the caller's transaction.
   * @throws SignedMismatch
   */
  async signIn<Order extends PaymentOrder<Own>, Own extends string>(
    tx: Tx,
    vault: Vault,
    kind: PaymentKind<Order, Own>,
    ids: readonly string[],
  ): Promise<RunOutcomes<WaitingReason | Own>> {
    const orders = await kind.lock(tx, ids);
    const decisions = await this.decide(tx, vault, kind, orders);
    const outcomes = new Map<string, WaitingReason | Own | 'signed'>();
    const waiting: (readonly [Order, WaitingReason | Own])[] = [];
    for (const order of orders) {
      const { id: purposeId, waitingReason } = order;
      const decision = decisions.get(purposeId);
      if (decision === undefined) continue;
      if (isFailure(decision)) {
        await recordRefusal(tx, { purpose: kind.purpose, purposeId, reason: decision });
        await kind.fail(tx, purposeId, decision);
        continue;
      }
      outcomes.set(purposeId, decision);
      if (decision !== 'signed' && decision !== waitingReason) waiting.push([order, decision]);
    }
    const signed = [...outcomes].filter(([, outcome]) => outcome === 'signed').map(([id]) => id);
    await sql(tx, `update ${kind.purpose} set signed_at = now(), waiting_reason = null where id = any($1)`, [signed]);
    if (waiting.length > 0) await kind.wait(tx, waiting);
    return outcomes;
  }

  /** Locks follow the order of docs/architecture.md: orders, policies, the wallet. */
  private async decide<Order extends PaymentOrder<Own>, Own extends string>(
    tx: Tx,
    vault: Vault,
    kind: PaymentKind<Order, Own>,
    orders: readonly Order[],
  ): Promise<ReadonlyMap<string, SigningDecision | PaymentFailure | Own>> {
    const [first] = orders;
    if (first === undefined) return new Map();
    const { chainRef } = first.transfer;
    const recipients = orders.map(({ transfer }) => transfer.recipient);
    const isListed = await this.sanctions.screen(tx, addressFamilyOf(first.network), recipients);
    const payable = orders.filter(({ transfer }) => !isListed(transfer.recipient));
    const rules = await kind.rules(tx, payable);
    // After a restore the order may already be paid: it is not refunded until that is clear.
    const doubt = payable.length < orders.length ? await this.signing.doubts(tx, chainRef) : null;
    const signing = payable.map(({ id: purposeId, strategy, transfer: order }) => {
      return { purposeId, strategy, order, authorizations: NO_AUTHORIZATIONS };
    });
    const batch = { chainRef, purpose: kind.purpose, orders: signing };
    const decisions = new Map<string, SigningDecision | PaymentFailure | Own>(
      await this.signing.signAll(tx, vault, batch, rules),
    );
    for (const { id, transfer } of orders)
      if (isListed(transfer.recipient)) decisions.set(id, doubt ?? 'address_blocked');
    return decisions;
  }
}
