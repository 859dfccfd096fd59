import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { addressFamilyOf, type Network } from '../../domain/network.js';
import {
  type FeeStrategy,
  isPaymentRefusal,
  type PaymentRefusal,
  type WaitingReason,
} from '../../domain/outgoing-payment.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import type { Vault } from '../../vault/vault.js';
import { recordRefusal } from '../vault-records.js';
import { NO_AUTHORIZATIONS } from './checked-signature.js';
import { FAILPOINT_PREFIXES } from './outcome-handler.js';
import { markSigned } from './payment-orders.sql.js';
import { type SigningOutcomes, SigningRun } from './signing-run.js';
import type { PaymentPurpose, TransferOrder } from './transaction-order.js';
import { type SigningDecision, type SigningRules, TransactionSigner } from './transaction-signer.service.js';
import { waitingPayments } from './waiting-orders.sql.js';

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

/** The unsigned payments of one purpose. */
export interface UnsignedPayments<Order extends PaymentOrder<Own>, Own extends string> {
  /** Also the name of their table. */
  readonly purpose: PaymentPurpose;
  /** For log messages and log fields. */
  readonly noun: 'withdrawal' | 'refund';
  /**
   * Locks and returns the unsigned orders among these ids, the oldest first; skips those that another transaction has
   * locked.
   */
  lock(tx: Tx, ids: readonly string[]): Promise<readonly Order[]>;
  /** Returns the rules for orders of one chain, beside their wallet and their simulations. */
  rules(tx: Tx, orders: readonly Order[]): Promise<SigningRules<WaitingReason | Own>>;
  /** Records why orders wait. */
  wait(tx: Tx, waiting: readonly (readonly [Order, WaitingReason | Own])[]): Promise<void>;
  /** Fails an unsigned order and moves its held funds back. */
  fail(tx: Tx, id: string, code: PaymentFailure): Promise<void>;
}

const isFailure = (decision: string): decision is PaymentFailure =>
  decision === 'address_blocked' || isPaymentRefusal(decision);

/** Signs withdrawals and refunds. Runs in the vault role. */
@Injectable()
export class PaymentSigner {
  constructor(
    private readonly database: Database,
    private readonly sanctions: SanctionsList,
    private readonly transactions: TransactionSigner,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Signs all waiting payments of one purpose, as `SigningRun.signWaiting`. */
  async signWaiting<Order extends PaymentOrder<Own>, Own extends string>(
    vault: Vault,
    payments: UnsignedPayments<Order, Own>,
  ): Promise<void> {
    const { purpose, noun } = payments;
    const run = new SigningRun(this.database, this.logger, {
      ...waitingPayments(purpose),
      noun,
      logKey: `${noun}Id`,
      failpoint: FAILPOINT_PREFIXES[purpose],
      together: 100,
      sign: (ids) => this.database.transaction((tx) => this.signIn(tx, vault, payments, ids)),
    });
    await run.signWaiting();
  }

  /** Signs the orders of one chain that can be signed, fails those that can never be paid; the others wait. */
  private async signIn<Order extends PaymentOrder<Own>, Own extends string>(
    tx: Tx,
    vault: Vault,
    payments: UnsignedPayments<Order, Own>,
    ids: readonly string[],
  ): Promise<SigningOutcomes<WaitingReason | Own>> {
    const { purpose } = payments;
    const orders = await payments.lock(tx, ids);
    const decisions = await this.decide(tx, vault, payments, orders);
    const outcomes = new Map<string, WaitingReason | Own | 'signed'>();
    const waiting: (readonly [Order, WaitingReason | Own])[] = [];
    for (const order of orders) {
      const { id: purposeId, waitingReason } = order;
      const decision = decisions.get(purposeId);
      if (decision === undefined) continue;
      if (isFailure(decision)) {
        await recordRefusal(tx, { purpose, purposeId, reason: decision });
        await payments.fail(tx, purposeId, decision);
        continue;
      }
      outcomes.set(purposeId, decision);
      if (decision !== 'signed' && decision !== waitingReason) waiting.push([order, decision]);
    }
    const signed = [...outcomes].filter(([, outcome]) => outcome === 'signed').map(([id]) => id);
    await rows(tx, markSigned(purpose, signed));
    if (waiting.length > 0) await payments.wait(tx, waiting);
    return outcomes;
  }

  /** Locks follow the order of docs/architecture.md: orders, policies, the wallet. */
  private async decide<Order extends PaymentOrder<Own>, Own extends string>(
    tx: Tx,
    vault: Vault,
    payments: UnsignedPayments<Order, Own>,
    orders: readonly Order[],
  ): Promise<ReadonlyMap<string, SigningDecision | PaymentFailure | Own>> {
    const [first] = orders;
    if (first === undefined) return new Map();
    const { chainRef } = first.transfer;
    const rules = await payments.rules(tx, orders);
    // After the rules, whose locks may take time: an address that was listed during that wait is not paid.
    const recipients = orders.map(({ transfer }) => transfer.recipient);
    const isListed = await this.sanctions.screen(tx, addressFamilyOf(first.network), recipients);
    const payable = orders.filter(({ transfer }) => !isListed(transfer.recipient));
    // After a restore the order may already be paid: it does not fail until that is clear.
    const doubt = payable.length < orders.length ? await this.transactions.doubts(tx, chainRef) : null;
    const signing = payable.map(({ id: purposeId, strategy, transfer: order }) => {
      return { purposeId, strategy, order, authorizations: NO_AUTHORIZATIONS };
    });
    const batch = { chainRef, purpose: payments.purpose, orders: signing };
    const decisions = new Map<string, SigningDecision | PaymentFailure | Own>(
      await this.transactions.signAll(tx, vault, batch, rules),
    );
    for (const { id, transfer } of orders)
      if (isListed(transfer.recipient)) decisions.set(id, doubt ?? 'address_blocked');
    return decisions;
  }
}
