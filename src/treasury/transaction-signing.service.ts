import { Injectable } from '@nestjs/common';
import { checksumEvmAddress } from '../domain/evm-address.js';
import { newId } from '../domain/ids.js';
import { type Environment, type EvmNetwork, NATIVE_COIN } from '../domain/network.js';
import { type GasFees, gasFees } from '../domain/network-fee.js';
import { readTransferCall, transferCall } from '../domain/transfer-call.js';
import type { FeeStrategy, WaitingReason } from '../domain/withdrawal.js';
import { type Tx, sql } from '../platform/database/database.js';
import { failpoint } from '../platform/failpoints.js';
import type { SignedEvmTransaction, UnsignedEvmTransaction } from '../vault/evm-transaction.js';
import { SignedMismatch, checkSigned } from '../vault/signed-check.js';
import type { Vault } from '../vault/vault.js';
import { FeeRounds } from './fee-rounds.service.js';
import { HotBalances } from './hot-balances.service.js';
import { recordSigned } from './vault-records.js';

/**
 * What a transfer may use, with room above what it does use (a token about 65,000, a coin 21,000 and more where the
 * destination is a contract). Only the gas used is paid for; too low a limit would make a payable transfer fail.
 */
export const GAS_LIMIT = { token: 120_000n, coin: 60_000n } as const;

/** A payment out of a hot wallet. What it is for is told by `purpose` and its id, which pay once. */
export interface PayoutOrder {
  readonly purpose: 'withdrawal';
  readonly purposeId: string;
  readonly chainRef: string;
  /** Contract (lower case) or `NATIVE_COIN`. */
  readonly token: string;
  /** Smallest units. */
  readonly amount: bigint;
  /** Lower case. */
  readonly recipient: string;
  readonly strategy: FeeStrategy;
}

/** A hot wallet with the chain it is on, locked for as long as a nonce is taken. */
export interface LockedWallet {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: EvmNetwork;
  readonly chainId: string;
  readonly addressKey: string;
  readonly nextNonce: number;
  /** The chain's own count; null while nobody has asked it. */
  readonly chainNonce: number | null;
  /** True while what is final on the chain is in doubt. */
  readonly isInDoubt: boolean;
  readonly frozenReason: string | null;
}

/**
 * Signs payments out of hot wallets; runs in the vault role alone. Everything is read from rows and happens in the
 * caller's one transaction: nonce, bytes and audit row exist together or not at all, and no node is asked.
 */
@Injectable()
export class TransactionSigning {
  constructor(
    private readonly fees: FeeRounds,
    private readonly balances: HotBalances,
  ) {}

  /**
   * Takes the wallet's next nonce for the payment and signs it, or says why it must wait.
   * @throws SignedMismatch when the signed bytes do not say what was ordered: nothing may be committed then.
   */
  async sign(tx: Tx, vault: Vault, order: PayoutOrder): Promise<WaitingReason | 'signed'> {
    const wallet = await lockWallet(tx, order.chainRef);
    if (wallet === null) return 'no_hot_wallet';
    if (wallet.frozenReason !== null) return 'wallet_frozen';
    if (wallet.isInDoubt) return 'chain_halted';
    if (wallet.chainNonce === null) return 'balance_unknown';
    if (wallet.chainNonce > wallet.nextNonce) return freezeAhead(tx, wallet);
    const round = await this.fees.current(tx, order.chainRef);
    if (round === null) return 'no_fresh_fees';
    const fees = gasFees(wallet.network, round, order.strategy);
    if (fees === null) return 'fees_above_cap';
    const gasLimit = order.token === NATIVE_COIN ? GAS_LIMIT.coin : GAS_LIMIT.token;
    const shortage = await this.shortage(tx, order, gasLimit * fees.maxFeePerGas);
    if (shortage !== null) return shortage;
    failpoint('wd.nonce');
    const unsigned = unsignedPayout(wallet, order, { gasLimit, fees });
    const signed = await signChecked(vault, wallet, unsigned, order);
    await recordSigned(tx, { transactionId: newId('ctx_'), attempt: 1, order, wallet, unsigned, signed });
    await sql(tx, `update hot_wallet set next_nonce = next_nonce + 1 where chain_ref = $1`, [order.chainRef]);
    return 'signed';
  }

  private async shortage(tx: Tx, order: PayoutOrder, gas: bigint): Promise<WaitingReason | null> {
    const coins = await this.balances.spendable(tx, order.chainRef, NATIVE_COIN);
    if (coins === null) return 'balance_unknown';
    if (order.token === NATIVE_COIN) {
      if (coins < order.amount) return 'coins_missing';
      return coins < order.amount + gas ? 'gas_missing' : null;
    }
    const tokens = await this.balances.spendable(tx, order.chainRef, order.token);
    if (tokens === null) return 'balance_unknown';
    if (tokens < order.amount) return 'coins_missing';
    return coins < gas ? 'gas_missing' : null;
  }
}

/** The wallet of a chain, locked in the caller's transaction: whoever takes a nonce takes it alone. */
export async function lockWallet(tx: Tx, chainRef: string): Promise<LockedWallet | null> {
  const [row] = await sql<{
    address_key: string;
    next_nonce: string;
    chain_nonce: string | null;
    frozen_reason: string | null;
    is_in_doubt: boolean;
    environment: Environment;
    network: EvmNetwork;
    chain_id: string;
  }>(
    tx,
    `select wallet.address_key, wallet.next_nonce, wallet.chain_nonce, wallet.frozen_reason, chain.environment,
            chain.network, chain.chain_id,
            coalesce(cursor.halted_reason, cursor.finality_doubt) is not null as is_in_doubt
       from hot_wallet wallet join chain on chain.id = wallet.chain_ref
       join chain_cursor cursor on cursor.chain_ref = wallet.chain_ref
      where wallet.chain_ref = $1 and chain.active for no key update of wallet`,
    [chainRef],
  );
  if (row === undefined) return null;
  return {
    chainRef,
    environment: row.environment,
    network: row.network,
    chainId: row.chain_id,
    addressKey: row.address_key,
    nextNonce: Number(row.next_nonce),
    chainNonce: row.chain_nonce === null ? null : Number(row.chain_nonce),
    isInDoubt: row.is_in_doubt,
    frozenReason: row.frozen_reason,
  };
}

/** The chain knows more transactions of the wallet than we do: a backup was restored, or somebody else has the key. */
async function freezeAhead(tx: Tx, { chainRef, nextNonce, chainNonce }: LockedWallet): Promise<'wallet_frozen'> {
  const reason = `The chain counts ${chainNonce} transactions of the hot wallet, and ${nextNonce} are known here.`;
  await sql(tx, `update hot_wallet set frozen_reason = $2 where chain_ref = $1`, [chainRef, reason]);
  return 'wallet_frozen';
}

/**
 * Has the vault sign, and believes nothing: the bytes are decoded again and compared with what was asked, and the call in
 * them with what is to be paid.
 * @throws SignedMismatch
 */
export async function signChecked(
  vault: Vault,
  wallet: LockedWallet,
  unsigned: UnsignedEvmTransaction,
  order: Pick<PayoutOrder, 'token' | 'recipient' | 'amount'>,
): Promise<SignedEvmTransaction> {
  const key = { kind: 'hot_wallet', network: wallet.network } as const;
  const signed = await vault.signEvm(wallet.environment, key, unsigned);
  checkSigned(signed, { ...unsigned, sender: wallet.addressKey });
  const paid = readTransferCall(unsigned);
  if (paid?.token !== order.token || paid.recipient !== order.recipient || paid.amount !== order.amount) {
    throw new SignedMismatch('data');
  }
  return signed;
}

function unsignedPayout(
  wallet: LockedWallet,
  order: PayoutOrder,
  { gasLimit, fees }: { gasLimit: bigint; fees: GasFees },
): UnsignedEvmTransaction {
  const call = transferCall(order);
  return {
    ...call,
    to: checksumEvmAddress(call.to),
    chainId: BigInt(wallet.chainId),
    nonce: wallet.nextNonce,
    gasLimit,
    ...fees,
  };
}
