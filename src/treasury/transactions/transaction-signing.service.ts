import { Injectable } from '@nestjs/common';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import { newId } from '../../domain/ids.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { GasFees } from '../../domain/network-fee.js';
import { transferCall } from '../../domain/transfer-call.js';
import { CALL_GAS_HEADROOM } from '../../domain/sweep-gas.js';
import type { FeeStrategy, PaymentRefusal, WaitingReason } from '../../domain/withdrawal.js';
import { afterCommit, type Tx, sql } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import type { EvmTransactionFields } from '../../vault/evm/evm-transaction.js';
import type { Vault } from '../../vault/vault.js';
import { type Authorizations, NO_AUTHORIZATIONS, signChecked } from './checked-signature.js';
import { DatabaseWatch } from '../database-watch.service.js';
import { FeeRounds } from '../fees/fee-rounds.service.js';
import { type GasOffer, gasOffer } from '../fees/gas-offer.js';
import { paymentGasLimit } from '../fees/gas-limits.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { type LockedWallet, lockWallet } from '../wallets/locked-wallet.js';
import { NonceMemory } from '../wallets/nonce-memory.js';
import { shortageOf } from './payment-funds.js';
import { refusalOf } from '../simulation/simulated-payment.js';
import type { CallOrder, PaymentPurpose, StandingOrder, TransactionPurpose, TransferOrder } from './standing-order.js';
import { FAILPOINT_PREFIXES } from './transaction-outcomes.js';
import { recordSigned } from '../vault-records.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';

/** A transaction that a hot wallet is to send. What it is for is told by `purpose` and its id, which are signed for once. */
export interface SigningOrder {
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly strategy: FeeStrategy;
  readonly order: StandingOrder;
}

/** A call of our own contracts. */
type CallTerms = SigningOrder & { readonly order: CallOrder };
/** A payment to anybody. */
type PaymentTerms = SigningOrder & { readonly purpose: PaymentPurpose; readonly order: TransferOrder };

/** A wallet that may sign, with what the transaction may spend on gas. */
interface ReadyWallet {
  readonly wallet: LockedWallet;
  readonly gasLimit: bigint;
  readonly fees: GasFees;
}

/**
 * Signs what hot wallets send; runs in the vault role alone. Everything is read from rows and happens in the
 * caller's one transaction: nonce, bytes and audit row exist together or not at all, and no node is asked.
 */
@Injectable()
export class TransactionSigning {
  private readonly memory = new NonceMemory();

  constructor(
    private readonly fees: FeeRounds,
    private readonly balances: HotBalances,
    private readonly watch: DatabaseWatch,
  ) {}

  /** What the order waits for, or null when it could be signed now. */
  async waitsFor(tx: Tx, terms: Pick<SigningOrder, 'strategy' | 'order'>): Promise<WaitingReason | null> {
    const look = await this.look(tx, terms);
    return typeof look === 'string' ? look : null;
  }

  /**
   * Why nobody can tell now whether the chain's hot wallet has sent what is not known here; null when it has not. What a
   * nonce was used for otherwise shows in no count, and freezes the wallet.
   */
  async doubts(tx: Tx, chainRef: string): Promise<WaitingReason | null> {
    const wallet = await lockWallet(tx, chainRef);
    if (wallet === null) return null;
    return wallet.frozenReason === null ? this.doubtOf(tx, wallet) : 'wallet_frozen';
  }

  /**
   * Takes the wallet's next nonce for a call and signs it, or says why it must wait.
   * @param authorizations those that the order asks for, signed and checked
   * @throws SignedMismatch when the signed bytes do not say what was ordered: nothing may be committed then.
   */
  async sign(
    tx: Tx,
    vault: Vault,
    terms: CallTerms,
    authorizations: Authorizations,
  ): Promise<WaitingReason | 'signed'> {
    const look = await this.look(tx, terms);
    if (typeof look === 'string') return look;
    return this.signWith(tx, vault, look, terms, authorizations);
  }

  /**
   * The same for a payment, beside a fresh simulation of exactly this payment that accepts it. Says too when the
   * destination refuses it: then it is never signed.
   * @throws SignedMismatch as `sign`
   */
  async pay(tx: Tx, vault: Vault, terms: PaymentTerms): Promise<WaitingReason | PaymentRefusal | 'signed'> {
    const look = await this.look(tx, terms);
    if (typeof look === 'string') return look;
    const { wallet, gasLimit } = look;
    const refusal = await refusalOf(tx, { ...terms, sender: wallet.addressKey, gasLimit });
    return refusal ?? this.signWith(tx, vault, look, terms, NO_AUTHORIZATIONS);
  }

  private async signWith(
    tx: Tx,
    vault: Vault,
    { wallet, ...gas }: ReadyWallet,
    { order, ...terms }: SigningOrder,
    authorizations: Authorizations,
  ): Promise<'signed'> {
    failpoint(`${FAILPOINT_PREFIXES[terms.purpose]}.nonce`);
    const fields = fieldsOf(wallet, order, gas);
    const signature = await signChecked(vault, wallet, fields, { order, authorizations });
    await recordSigned(tx, { transactionId: newId('ctx_'), attempt: 1, ...terms, order, wallet, ...signature });
    await sql(tx, `update hot_wallet set next_nonce = next_nonce + 1, database_identity = $2 where chain_ref = $1`, [
      order.chainRef,
      wallet.liesOn,
    ]);
    this.memory.took(tx, order.chainRef, wallet.nextNonce + 1);
    return 'signed';
  }

  /** The locked wallet with what the order may spend on gas, or why it must wait. */
  private async look(
    tx: Tx,
    { order, strategy }: Pick<SigningOrder, 'strategy' | 'order'>,
  ): Promise<ReadyWallet | WaitingReason> {
    const wallet = await lockWallet(tx, order.chainRef);
    if (wallet === null) return 'no_hot_wallet';
    if (wallet.frozenReason !== null) return 'wallet_frozen';
    if (wallet.isInDoubt) return 'chain_halted';
    const forgotten = await this.doubtOf(tx, wallet);
    if (forgotten !== null) return forgotten;
    const round = await this.fees.current(tx, order.chainRef);
    if (round === null) return 'no_fresh_fees';
    const gasLimit = gasLimitOf(order);
    const offer = gasOffer(wallet.network, round, { strategy, gasLimit });
    if (typeof offer === 'string') return offer;
    const shortage = await this.shortage(tx, order, offer);
    return shortage ?? { wallet, gasLimit, fees: offer.fees };
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
    doubt: 'forgotten' | 'unanswered',
  ): Promise<'balance_unknown' | 'wallet_frozen'> {
    if (doubt === 'forgotten') {
      const signed = this.memory.known(chainRef);
      const reason = `The vault has signed ${signed} transactions of the hot wallet, and ${nextNonce} are known here: this database is older.`;
      await freezeWallet(tx, chainRef, reason);
    }
    await sql(tx, `update hot_wallet set chain_nonce = null where chain_ref = $1`, [chainRef]);
    afterCommit(tx, () => this.memory.forget(chainRef));
    return doubt === 'forgotten' ? 'wallet_frozen' : 'balance_unknown';
  }

  private async shortage(tx: Tx, order: StandingOrder, offer: GasOffer): Promise<WaitingReason | null> {
    const { chainRef } = order;
    if (order.kind === 'transfer') return shortageOf(order, offer, this.balances.fundsOf(tx, chainRef));
    const coins = await this.balances.spendable(tx, chainRef, NATIVE_COIN);
    if (coins === null) return 'balance_unknown';
    return coins < CALL_GAS_HEADROOM * offer.cost ? 'gas_missing' : null;
  }
}

const gasLimitOf = (order: StandingOrder): bigint =>
  order.kind === 'call' ? order.gasLimit : paymentGasLimit(order.token);

function fieldsOf(
  wallet: LockedWallet,
  order: StandingOrder,
  { gasLimit, fees }: { gasLimit: bigint; fees: GasFees },
): EvmTransactionFields {
  const call = order.kind === 'call' ? { to: order.to, value: 0n, data: order.data } : transferCall(order);
  return {
    ...call,
    to: checksumEvmAddress(call.to),
    chainId: BigInt(wallet.chainId),
    nonce: wallet.nextNonce,
    gasLimit,
    ...fees,
  };
}
