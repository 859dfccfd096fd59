import { Injectable } from '@nestjs/common';
import { newId } from '../../domain/ids.js';
import { isPaymentRefusal, type PaymentRefusal, type WaitingReason } from '../../domain/withdrawal.js';
import { afterCommit, type Tx, sql } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import type { EvmTransactionFields } from '../../vault/evm/evm-transaction.js';
import type { Vault } from '../../vault/vault.js';
import { DatabaseWatch } from '../database-watch.service.js';
import { GasPriceSamples } from '../fees/gas-price-samples.service.js';
import { SimulatedPayments } from '../simulation/simulated-payment.js';
import { recordSigned } from '../vault-records.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { type LockedWallet, lockWallet } from '../wallets/locked-wallet.js';
import { NonceMemory } from '../wallets/nonce-memory.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';
import { type Authorizations, signChecked } from './checked-signature.js';
import { PromisedFunds } from './payment-funds.js';
import { gasLimitOf, type SigningOrder, SpendingWallet } from './spending-wallet.js';
import type { CallOrder, TransactionOrder, TransactionPurpose } from './transaction-order.js';
import { FAILPOINT_PREFIXES } from './outcome-handler.js';

/** What became of an order: it was signed, waits for a reason, or its destination refuses it. */
export type SigningDecision = 'signed' | WaitingReason | PaymentRefusal;

/** Orders of one purpose on one chain, the oldest first. */
export interface SigningBatch {
  readonly chainRef: string;
  readonly purpose: TransactionPurpose;
  readonly orders: readonly SigningOrder[];
}

/** Rules on orders beside what their wallet can pay. */
export interface OrderRules<Reason extends string> {
  /** Why an order must wait, in view of those signed before it; null when nothing holds it up. */
  obstacleTo(purposeId: string): Reason | null;
  /** Counts an order as signed. */
  sign(purposeId: string): void;
}

/** A call of our own contracts. */
export interface CallTerms {
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly order: CallOrder;
  /** What the order asks other addresses to sign, checked. */
  readonly authorizations: Authorizations;
}

/** One version of an outgoing transaction that is to be signed. */
export interface PlannedAttempt {
  readonly transactionId: string;
  /** 1 = the first, which makes the outgoing transaction itself. */
  readonly attempt: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly order: TransactionOrder;
  readonly fields: EvmTransactionFields;
  readonly authorizations: Authorizations;
}

/**
 * Signs what hot wallets send; runs in the vault role alone. Everything is read from rows and happens in the
 * caller's one transaction: nonces, bytes and audit rows exist together or not at all, and no node is asked.
 */
@Injectable()
export class TransactionSigning {
  private readonly memory = new NonceMemory();

  constructor(
    private readonly fees: GasPriceSamples,
    private readonly balances: HotBalances,
    private readonly watch: DatabaseWatch,
    private readonly queue: JobWaker,
  ) {}

  /** What a call waits for; null when it could be signed now. */
  async waitsFor(tx: Tx, call: CallTerms): Promise<WaitingReason | null> {
    const batch = batchOf(call);
    const wallet = await this.openWallet(tx, batch);
    if (typeof wallet === 'string') return wallet;
    for (const order of batch.orders) {
      const gas = await wallet.gasFor(order);
      if (typeof gas === 'string') return unrefused(gas);
    }
    return null;
  }

  /**
   * Why it cannot be known now whether the chain's hot wallet has sent what is not known here; null when it has not. What a
   * nonce was used for otherwise shows in no count, and freezes the wallet.
   */
  async doubts(tx: Tx, chainRef: string): Promise<WaitingReason | null> {
    const wallet = await lockWallet(tx, chainRef);
    if (wallet === null) return null;
    return wallet.frozenReason === null ? this.doubtOf(tx, wallet) : 'wallet_frozen';
  }

  /**
   * Takes the wallet's next nonces for those orders that can be signed now, and signs them; gives what became of each order.
   * A payment is signed beside a fresh simulation of exactly this payment that accepts it, and never when its destination
   * refuses it.
   * @throws SignedMismatch when signed bytes do not say what was ordered: nothing may be committed then.
   */
  async signAll<Reason extends string>(
    tx: Tx,
    vault: Vault,
    batch: SigningBatch,
    rules: OrderRules<Reason>,
  ): Promise<Map<string, SigningDecision | Reason>> {
    const { chainRef, purpose, orders } = batch;
    if (orders.length === 0) return new Map();
    // The wallet of another chain would pay another token.
    if (orders.some(({ order }) => order.chainRef !== chainRef)) throw new Error('An order is of another chain.');
    const wallet = await this.openWallet(tx, batch);
    if (typeof wallet === 'string')
      return new Map(orders.map(({ purposeId }) => [purposeId, rules.obstacleTo(purposeId) ?? wallet]));
    const decisions = new Map<string, SigningDecision | Reason>();
    const planned: PlannedAttempt[] = [];
    for (const each of orders) {
      const { purposeId, order, authorizations } = each;
      const gas = rules.obstacleTo(purposeId) ?? (await wallet.gasFor(each));
      decisions.set(purposeId, typeof gas === 'string' ? gas : 'signed');
      if (typeof gas === 'string') continue;
      rules.sign(purposeId);
      failpoint(`${FAILPOINT_PREFIXES[purpose]}.nonce`);
      const fields = wallet.plan(each, gas);
      planned.push({ transactionId: newId('ctx_'), attempt: 1, purpose, purposeId, order, fields, authorizations });
    }
    if (planned.length === 0) return decisions;
    await this.signAttempts(tx, vault, wallet.locked, planned);
    await this.takeNonces(tx, wallet.locked, planned.length);
    return decisions;
  }

  /** The same for one call of our own contracts, which no destination refuses. @throws SignedMismatch as `signAll` */
  async signCall(tx: Tx, vault: Vault, call: CallTerms): Promise<WaitingReason | 'signed'> {
    const decisions = await this.signAll(tx, vault, batchOf(call), NO_RULES);
    const decision = decisions.get(call.purposeId);
    if (decision === undefined) throw new Error(`Nothing was decided on ${call.purposeId}.`);
    return unrefused(decision);
  }

  /**
   * Signs versions of transactions with the wallet that the caller has locked, and writes them down. They are sent once the
   * caller's transaction has committed.
   * @throws SignedMismatch as `signAll`
   */
  async signAttempts(tx: Tx, vault: Vault, wallet: LockedWallet, planned: readonly PlannedAttempt[]): Promise<void> {
    // The vault's thread signs one while this thread checks the one before it.
    const signatures = await Promise.all(
      planned.map(({ fields, ...terms }) => signChecked(vault, wallet, fields, terms)),
    );
    const records = signatures.flatMap((signature, place) => {
      const attempt = planned[place];
      return attempt === undefined ? [] : [{ ...attempt, wallet, ...signature }];
    });
    await recordSigned(tx, records);
    afterCommit(tx, () => this.queue.wake('treasury.broadcast', {}));
  }

  private async takeNonces(tx: Tx, { chainRef, nextNonce, liesOn }: LockedWallet, count: number): Promise<void> {
    for (let taken = 0; taken < count; taken++) {
      // The database lets a wallet take one nonce at a time, so that no row of nonces can be skipped by a wrong count.
      await sql(tx, `update hot_wallet set next_nonce = next_nonce + 1, database_identity = $2 where chain_ref = $1`, [
        chainRef,
        liesOn,
      ]);
    }
    this.memory.took(tx, chainRef, nextNonce + count);
  }

  /** The wallet of a chain, locked, with everything that decides on the orders; or why nothing is signed there. */
  private async openWallet(
    tx: Tx,
    { chainRef, purpose, orders }: SigningBatch,
  ): Promise<SpendingWallet | WaitingReason> {
    const wallet = await lockWallet(tx, chainRef);
    if (wallet === null) return 'no_hot_wallet';
    if (wallet.frozenReason !== null) return 'wallet_frozen';
    if (wallet.isInDoubt) return 'chain_halted';
    const doubt = await this.doubtOf(tx, wallet);
    if (doubt !== null) return doubt;
    const prices = await this.fees.current(tx, chainRef);
    if (prices === null) return 'no_fresh_fees';
    const funds = new PromisedFunds(this.balances.fundsOf(tx, chainRef));
    const payments = orders.flatMap(({ purposeId, order }) =>
      order.kind === 'transfer' ? [{ purposeId, order, gasLimit: gasLimitOf(order) }] : [],
    );
    const sender = wallet.addressKey;
    return new SpendingWallet(
      wallet,
      prices,
      funds,
      await SimulatedPayments.read(tx, { purpose, chainRef, sender }, payments),
    );
  }

  /**
   * The chain, or this process itself, may know more transactions of the wallet than the database does: a backup was
   * restored, a standby that lagged took over, or somebody else has the key. Once one does, the wallet is frozen; so it is on
   * a database that is another one than when the wallet last signed, before anybody can know.
   */
  private async doubtOf(tx: Tx, wallet: LockedWallet): Promise<'balance_unknown' | 'wallet_frozen' | null> {
    const { chainRef, nextNonce, chainNonce } = wallet;
    if (await this.watch.stopElsewhere(tx, wallet)) return 'wallet_frozen';
    const doubt = this.memory.doubtOf(chainRef, nextNonce);
    if (doubt !== null) return this.believeNoCount(tx, wallet, doubt);
    if (chainNonce === null) return 'balance_unknown';
    if (chainNonce <= nextNonce) return null;
    const reason = `The chain counts ${chainNonce} transactions of the hot wallet, and ${nextNonce} are known here.`;
    await freezeWallet(tx, chainRef, reason);
    return 'wallet_frozen';
  }

  /**
   * What the chain counts was forgotten as well, and it is asked anew. Staff decide about what was surely signed: what nobody
   * sent is never counted. What was perhaps signed is counted once a node knows it, or was never to be sent.
   */
  private async believeNoCount(
    tx: Tx,
    { chainRef, nextNonce }: LockedWallet,
    doubt: 'unrecorded' | 'unanswered',
  ): Promise<'balance_unknown' | 'wallet_frozen'> {
    if (doubt === 'unrecorded') {
      const signed = this.memory.known(chainRef);
      const reason = `The vault has signed ${signed} transactions of the hot wallet, and ${nextNonce} are known here: this database is older.`;
      await freezeWallet(tx, chainRef, reason);
    }
    await sql(tx, `update hot_wallet set chain_nonce = null where chain_ref = $1`, [chainRef]);
    afterCommit(tx, () => this.memory.forget(chainRef));
    return doubt === 'unrecorded' ? 'wallet_frozen' : 'balance_unknown';
  }
}

const NO_RULES: OrderRules<never> = { obstacleTo: () => null, sign: () => undefined };

const batchOf = ({ purpose, order, ...terms }: CallTerms): SigningBatch => ({
  chainRef: order.chainRef,
  purpose,
  orders: [{ ...terms, order, strategy: 'standard' }],
});

function unrefused<Decision extends string>(decision: Decision | PaymentRefusal): Decision {
  if (isPaymentRefusal(decision)) throw new Error('A call of our own contracts is no payment that is refused.');
  return decision;
}
