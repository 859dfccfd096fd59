import type { FeeStrategy, PaymentRefusal, WaitingReason } from '../../domain/outgoing-payment.js';
import type { LockedWallet } from '../wallets/locked-wallet.js';
import type { Authorizations } from './checked-signature.js';
import type { SignableTransaction } from './signable-transaction.js';
import type { TransactionOrder } from './transaction-order.js';

/** An order for one transaction of a hot wallet. */
export interface SigningOrder {
  readonly purposeId: string;
  readonly strategy: FeeStrategy;
  readonly order: TransactionOrder;
  /** The checked authorizations of other addresses. */
  readonly authorizations: Authorizations;
}

/** A transaction that can be signed now. */
export interface SigningOffer {
  /** Takes the wallet's next nonce, promises what the transaction costs and pays, and returns it. */
  accept(): SignableTransaction;
}

/** A locked hot wallet that may sign, with the funds that it can still promise while orders are planned. */
export interface SpendingWallet {
  readonly locked: LockedWallet;
  /** Returns the offer for an order, or why it cannot be signed now. */
  offerFor(order: SigningOrder): Promise<SigningOffer | WaitingReason | PaymentRefusal>;
}
