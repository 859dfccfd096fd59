import { type BlockHeader, ChainUnavailable, type CoinBalances, NodeBusy } from '../chain.js';
import { accountOf } from './account.js';
import { betweenFinalBlocks } from './between-final-blocks.js';
import type { TronHttp, TronInterface } from './tron-http.js';

/** An own node answers some thousand requests a second; public ones allow 15 or so. */
const ADDRESSES_MAX = 30;

/**
 * Reads TRX balances as of the newest final block. No node returns a past balance, and each is a request of its own, so the
 * newest final block must be the same before and after all of them.
 */
export class SolidBalances {
  private limit = ADDRESSES_MAX;

  constructor(
    private readonly http: Pick<TronHttp, 'ask'>,
    private readonly solidHead: () => Promise<BlockHeader>,
  ) {}

  /** How many of them the node currently reads between two final blocks. */
  get addressesAtOnce(): number {
    return this.limit;
  }

  /** @throws ChainUnavailable when the newest final block changes again and again meanwhile */
  async read(addresses: readonly string[]): Promise<CoinBalances> {
    try {
      const balances = await this.readBetweenBlocks(addresses);
      this.limit = Math.min(ADDRESSES_MAX, this.limit * 2);
      return balances;
    } catch (error) {
      // The next step asks for fewer, so that a slow node cannot hold up all payments.
      if (error instanceof ChainUnavailable && !(error instanceof NodeBusy)) {
        this.limit = Math.max(1, Math.floor(this.limit / 2));
      }
      throw error;
    }
  }

  private async readBetweenBlocks(addresses: readonly string[]): Promise<CoinBalances> {
    const { asOf, value: units } = await betweenFinalBlocks(this.solidHead, () =>
      Promise.all(addresses.map((address) => coinsOf(this.http, 'walletsolidity', address))),
    );
    return { asOf, units };
  }
}

/** Returns the TRX of an address, in sun; 0 for one that was never activated. */
export async function coinsOf(http: Pick<TronHttp, 'ask'>, of: TronInterface, address: string): Promise<bigint> {
  const account = await accountOf(http, of, address);
  return account === null ? 0n : BigInt(account.balance);
}
