import type { ExpiringSweeper } from '../../chains/expiring-sweeps.js';
import type { ExpiringPayer, PaymentConditions } from '../../chains/expiring.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import type { TransferOrder } from '../transactions/transaction-order.js';

/** The funds that a hot wallet can promise, in smallest units; null while no balance was read. */
interface SpendableFunds {
  spendable(token: string): Promise<bigint | null>;
}

/** What a payment costs, and the coins that stay in the wallet, in smallest units of the coin. */
interface CoinNeeds {
  readonly costMax: bigint;
  readonly reserve: bigint;
}

/**
 * Returns the coins that a payment leaves in the hot wallet: what the chain asks for, and when it pays coins also the cost of
 * a sweep, which only the hot wallet can pay for.
 */
export function keptCoins(
  token: string,
  { payer, sweeper }: { readonly payer: ExpiringPayer; readonly sweeper: ExpiringSweeper },
  at: PaymentConditions,
): bigint {
  return payer.leastCoin(at) + (token === NATIVE_COIN ? sweeper.highestCost(at) : 0n);
}

/** Returns why the funds of a hot wallet do not suffice for a payment now; null when they do. */
export async function missingCoins(
  { token, amount }: Pick<TransferOrder, 'token' | 'amount'>,
  { costMax, reserve }: CoinNeeds,
  funds: SpendableFunds,
): Promise<WaitingReason | null> {
  const coins = await funds.spendable(NATIVE_COIN);
  if (coins === null) return 'balance_unknown';
  if (token === NATIVE_COIN) return coins < amount + costMax + reserve ? 'coins_missing' : null;
  const tokens = await funds.spendable(token);
  if (tokens === null) return 'balance_unknown';
  if (tokens < amount) return 'coins_missing';
  return coins < costMax + reserve ? 'gas_missing' : null;
}

/** Returns why the coins of a hot wallet do not suffice for what a sweep costs; null when they do. */
export async function missingCost(
  { costMax, reserve }: CoinNeeds,
  funds: SpendableFunds,
): Promise<WaitingReason | null> {
  const coins = await funds.spendable(NATIVE_COIN);
  if (coins === null) return 'balance_unknown';
  return coins < costMax + reserve ? 'gas_missing' : null;
}
