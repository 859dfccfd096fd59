import { NATIVE_COIN } from '../../domain/network.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import type { GasOffer } from '../fees/gas-offer.js';
import type { TransferOrder } from './transaction-order.js';

/** The funds that a hot wallet can promise, in smallest units. */
export interface HotFunds {
  /** Returns the spendable amount of a token (contract, or `NATIVE_COIN`); null while no balance was read. */
  spendable(token: string): Promise<bigint | null>;
  /** Returns the coin amount that must stay for gas, at this highest price. */
  reserve(maxFeePerGas: bigint): Promise<bigint>;
}

/** Returns the same funds for many payments; each amount is read once. */
export function readOnce(funds: HotFunds): HotFunds {
  return {
    spendable: askedOnce((token: string) => funds.spendable(token)),
    reserve: askedOnce((maxFeePerGas: bigint) => funds.reserve(maxFeePerGas)),
  };
}

/** Funds that are promised to one transaction after another: each amount is read once, and promises are subtracted. */
export class PromisedFunds implements HotFunds {
  private readonly promised = new Map<string, bigint>();
  private readonly funds: HotFunds;

  constructor(funds: HotFunds) {
    this.funds = readOnce(funds);
  }

  async spendable(token: string): Promise<bigint | null> {
    const units = await this.funds.spendable(token);
    return units === null ? null : units - (this.promised.get(token) ?? 0n);
  }

  reserve(maxFeePerGas: bigint): Promise<bigint> {
    return this.funds.reserve(maxFeePerGas);
  }

  /** Promises smallest units of a token (contract, or `NATIVE_COIN`). */
  promise(token: string, units: bigint): void {
    this.promised.set(token, (this.promised.get(token) ?? 0n) + units);
  }
}

function askedOnce<K, V>(ask: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const answers = new Map<K, Promise<V>>();
  return (key) => {
    const answer = answers.get(key) ?? ask(key);
    answers.set(key, answer);
    return answer;
  };
}

/** Returns why the funds do not suffice to sign a payment now; null when they do. */
export async function missingFunds(
  { token, amount }: Pick<TransferOrder, 'token' | 'amount'>,
  { cost: gas, sweeping }: GasOffer,
  funds: HotFunds,
): Promise<WaitingReason | null> {
  const coins = await funds.spendable(NATIVE_COIN);
  if (coins === null) return 'balance_unknown';
  if (token === NATIVE_COIN) {
    const kept = await funds.reserve(sweeping.maxFeePerGas);
    return coins < amount + gas + kept ? 'coins_missing' : null;
  }
  const tokens = await funds.spendable(token);
  if (tokens === null) return 'balance_unknown';
  if (tokens < amount) return 'coins_missing';
  return coins < gas ? 'gas_missing' : null;
}
