import { Injectable } from '@nestjs/common';
import { newId } from '../../domain/ids.js';
import { isPaymentRefusal, type PaymentRefusal, type WaitingReason } from '../../domain/outgoing-payment.js';
import { afterCommit, rows, type Tx } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import type { Vault } from '../../vault/vault.js';
import { DatabaseIdentityCheck } from '../database-identity-check.service.js';
import { openExpiringWallet } from '../expiring/open-expiring-wallet.js';
import { currentFees } from '../fees/current-fees.js';
import { SimulatedPayments } from '../simulation/simulated-payment.js';
import { recordSigned } from '../vault-records.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { distrustCount, takeNonce } from '../wallets/hot-wallets.sql.js';
import { isEvmWallet, type LockedWallet, lockWallet } from '../wallets/locked-wallet.js';
import { NonceMemory } from '../wallets/nonce-memory.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';
import type { Authorizations } from './checked-signature.js';
import { EvmSpendingWallet, gasLimitOf } from './evm-spending-wallet.js';
import { PromisedFunds } from './payment-funds.js';
import type { SignableTransaction } from './signable-transaction.js';
import type { SigningOrder, SpendingWallet } from './spending-wallet.js';
import type { CallOrder, SweepingOrder, TransactionOrder, TransactionPurpose } from './transaction-order.js';
import { FAILPOINT_PREFIXES } from './outcome-handler.js';

/** The decision on an order: signed, a reason to wait, or refused by its destination. */
export type SigningDecision = 'signed' | WaitingReason | PaymentRefusal;

/** Orders of one purpose on one chain, the oldest first. */
export interface SigningBatch {
  readonly chainRef: string;
  readonly purpose: TransactionPurpose;
  readonly orders: readonly SigningOrder[];
}

/** Rules for orders, beside the funds of their wallet. */
export interface SigningRules<Reason extends string> {
  /** Returns why an order must wait, counting those signed before it; null when it may be signed. */
  obstacleTo(purposeId: string): Reason | null;
  /** Counts an order as signed. */
  sign(purposeId: string): void;
}

/** A call of our own contracts, a sweep or what belongs to it. */
export interface CallTerms {
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly order: CallOrder | SweepingOrder;
  /** The checked authorizations of other addresses. */
  readonly authorizations: Authorizations;
}

/** One version of an outgoing transaction, to be signed. */
export interface PlannedAttempt {
  readonly transactionId: string;
  /** 1 is the first, which creates the outgoing transaction. */
  readonly attempt: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly order: TransactionOrder;
  readonly signable: SignableTransaction;
}

/**
 * Signs the transactions of hot wallets; runs in the vault role alone. Everything is read from rows and happens in the
 * caller's transaction: nonces, bytes and audit rows exist together or not at all, and no node is called.
 */
@Injectable()
export class TransactionSigner {
  private readonly memory = new NonceMemory();

  constructor(
    private readonly balances: HotBalances,
    private readonly databaseIdentity: DatabaseIdentityCheck,
    private readonly queue: JobWaker,
  ) {}

  /** Returns why a call waits; null when it could be signed now. */
  async waitsFor(tx: Tx, call: CallTerms): Promise<WaitingReason | null> {
    const batch = batchOf(call);
    const wallet = await this.openWallet(tx, batch);
    if (typeof wallet === 'string') return wallet;
    for (const order of batch.orders) {
      const offer = await wallet.offerFor(order);
      if (typeof offer === 'string') return unrefused(offer);
    }
    return null;
  }

  /**
   * Returns why the chain's hot wallet may have sent unrecorded transactions; null when it has not. A frozen wallet
   * counts as doubtful, since a nonce used by somebody else shows in no count.
   */
  async doubts(tx: Tx, chainRef: string): Promise<WaitingReason | null> {
    const wallet = await lockWallet(tx, chainRef);
    if (wallet === null) return null;
    return wallet.frozenReason === null ? this.doubtOf(tx, wallet) : 'wallet_frozen';
  }

  /**
   * Takes the wallet's next nonces for the orders that can be signed now, and signs them; returns the decision on each
   * order. A payment is signed only with a fresh simulation of exactly this payment that accepts it.
   * @throws SignedMismatch when signed bytes do not match the order: nothing may be committed then.
   */
  async signAll<Reason extends string>(
    tx: Tx,
    vault: Vault,
    batch: SigningBatch,
    rules: SigningRules<Reason>,
  ): Promise<Map<string, SigningDecision | Reason>> {
    const { chainRef, purpose, orders } = batch;
    if (orders.length === 0) return new Map();
    // The wallet of another chain would pay another token.
    if (orders.some(({ order }) => order.chainRef !== chainRef)) throw new Error('An order belongs to another chain.');
    const wallet = await this.openWallet(tx, batch);
    if (typeof wallet === 'string')
      return new Map(orders.map(({ purposeId }) => [purposeId, rules.obstacleTo(purposeId) ?? wallet]));
    const decisions = new Map<string, SigningDecision | Reason>();
    const planned: PlannedAttempt[] = [];
    for (const each of orders) {
      const { purposeId, order } = each;
      const offer = rules.obstacleTo(purposeId) ?? (await wallet.offerFor(each));
      decisions.set(purposeId, typeof offer === 'string' ? offer : 'signed');
      if (typeof offer === 'string') continue;
      rules.sign(purposeId);
      failpoint(`${FAILPOINT_PREFIXES[purpose]}.nonce`);
      const signable = offer.accept();
      planned.push({ transactionId: newId('ctx_'), attempt: 1, purpose, purposeId, order, signable });
    }
    if (planned.length === 0) return decisions;
    await this.signAttempts(tx, vault, wallet.locked, planned);
    await this.takeNonces(tx, wallet.locked, planned.length);
    return decisions;
  }

  /** Signs one call of our own contracts, a sweep or what belongs to it, which no destination refuses. @throws SignedMismatch as `signAll` */
  async signCall(tx: Tx, vault: Vault, call: CallTerms): Promise<WaitingReason | 'signed'> {
    const decisions = await this.signAll(tx, vault, batchOf(call), NO_RULES);
    const decision = decisions.get(call.purposeId);
    if (decision === undefined) throw new Error(`Nothing was decided on ${call.purposeId}.`);
    return unrefused(decision);
  }

  /**
   * Signs versions of transactions with the wallet that the caller has locked, and records them. They are sent after
   * the caller's transaction has committed.
   * @throws SignedMismatch as `signAll`
   */
  async signAttempts(tx: Tx, vault: Vault, wallet: LockedWallet, planned: readonly PlannedAttempt[]): Promise<void> {
    // The vault's thread signs one while this thread checks the previous one.
    const versions = await Promise.all(planned.map(({ signable }) => signable.sign(vault)));
    const records = versions.flatMap((version, place) => {
      const attempt = planned[place];
      return attempt === undefined ? [] : [{ ...attempt, wallet, version }];
    });
    await recordSigned(tx, records);
    afterCommit(tx, () => this.queue.wake('treasury.broadcast', {}));
  }

  private async takeNonces(tx: Tx, { chainRef, nextNonce, liesOn }: LockedWallet, count: number): Promise<void> {
    for (let taken = 0; taken < count; taken++) {
      // The database allows one nonce per update, so that a wrong count cannot skip nonces.
      await rows(tx, takeNonce(chainRef, liesOn));
    }
    this.memory.took(tx, chainRef, nextNonce + count);
  }

  /**
   * Locks the wallet of a chain and returns it with everything that decides on the orders; or why nothing is signed
   * there.
   */
  private async openWallet(
    tx: Tx,
    { chainRef, purpose, orders }: SigningBatch,
  ): Promise<SpendingWallet | WaitingReason> {
    const wallet = await lockWallet(tx, chainRef);
    if (wallet === null) return 'no_hot_wallet';
    if (wallet.frozenReason !== null) return 'wallet_frozen';
    if (wallet.isInDoubt) return 'chain_halted';
    if (wallet.isPaused) return 'listener_paused';
    const doubt = await this.doubtOf(tx, wallet);
    if (doubt !== null) return doubt;
    const funds = new PromisedFunds(this.balances.fundsOf(tx, chainRef));
    if (!isEvmWallet(wallet)) return openExpiringWallet(tx, wallet, { purpose, orders, funds });
    const prices = await currentFees(tx, chainRef);
    if (prices === null) return 'no_fresh_fees';
    const payments = orders.flatMap(({ purposeId, order }) =>
      order.kind === 'transfer' ? [{ purposeId, order, gasLimit: gasLimitOf(order) }] : [],
    );
    const simulations = await SimulatedPayments.read(tx, { purpose, chainRef, sender: wallet.addressKey }, payments);
    return new EvmSpendingWallet(wallet, prices, funds, simulations);
  }

  /**
   * Detects that the chain, or this process, has more transactions of the wallet than the database: a backup was
   * restored, a lagging standby was promoted, or somebody else has the key. The wallet is then frozen. It is also
   * frozen on another database than the one of its last nonce, before any count can show a gap.
   */
  private async doubtOf(tx: Tx, wallet: LockedWallet): Promise<'balance_unknown' | 'wallet_frozen' | null> {
    const { chainRef, nextNonce, chainNonce } = wallet;
    if (await this.databaseIdentity.stopElsewhere(tx, wallet)) return 'wallet_frozen';
    const doubt = this.memory.doubtOf(chainRef, nextNonce);
    if (doubt !== null) return this.distrustCount(tx, wallet, doubt);
    if (chainNonce === null) return 'balance_unknown';
    if (chainNonce <= nextNonce) return null;
    const reason = `The chain counts ${chainNonce} transactions of the hot wallet, and ${nextNonce} are known here.`;
    await freezeWallet(tx, chainRef, reason);
    return 'wallet_frozen';
  }

  /**
   * Clears the stored transaction count, which is as old as the database, so that the chain is asked again. For
   * transactions that were certainly signed operators decide, since one that was never sent shows in no count. One
   * whose COMMIT was not answered is counted once a node has it, or was never to be sent.
   */
  private async distrustCount(
    tx: Tx,
    { chainRef, nextNonce }: LockedWallet,
    doubt: 'unrecorded' | 'unanswered',
  ): Promise<'balance_unknown' | 'wallet_frozen'> {
    if (doubt === 'unrecorded') {
      const signed = this.memory.known(chainRef);
      const reason = `The vault has signed ${signed} transactions of the hot wallet, and ${nextNonce} are known here: this database is older.`;
      await freezeWallet(tx, chainRef, reason);
    }
    await rows(tx, distrustCount(chainRef));
    afterCommit(tx, () => this.memory.clear(chainRef));
    return doubt === 'unrecorded' ? 'wallet_frozen' : 'balance_unknown';
  }
}

const NO_RULES: SigningRules<never> = { obstacleTo: () => null, sign: () => undefined };

const batchOf = ({ purpose, order, ...terms }: CallTerms): SigningBatch => ({
  chainRef: order.chainRef,
  purpose,
  orders: [{ ...terms, order, strategy: 'standard' }],
});

function unrefused<Decision extends string>(decision: Decision | PaymentRefusal): Decision {
  if (isPaymentRefusal(decision)) throw new Error('A call of our own contracts cannot be refused as a payment.');
  return decision;
}
