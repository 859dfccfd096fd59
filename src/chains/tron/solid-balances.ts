import { type BlockHeader, type BlockRef, ChainUnavailable, type CoinBalances, NodeBusy } from '../chain.js';
import { accountShape, parsed } from './answer-shapes.js';
import { hexOfKey } from './tron-address.js';
import type { TronHttp } from './tron-http.js';

/** An own node answers some thousand requests a second; public ones allow 15 or so. */
const ADDRESSES_MAX = 30;
const TRIES_MAX = 3;

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
    let before: BlockRef = await this.solidHead();
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const units = await Promise.all(addresses.map((address) => this.balanceOf(address)));
      const after = await this.solidHead();
      if (after.hash === before.hash) return { asOf: { height: after.height, hash: after.hash }, units };
      before = after;
    }
    throw new ChainUnavailable(`The final block changed while ${addresses.length} balances were read.`);
  }

  private async balanceOf(address: string): Promise<bigint> {
    const hex = hexOfKey(address);
    const answer = await this.http.ask('walletsolidity', 'getaccount', { address: hex });
    const account = parsed(accountShape, answer, 'account');
    if (!('address' in account)) return 0n;
    if (account.address !== hex) throw new ChainUnavailable('The node returned the account of another address.');
    return BigInt(account.balance);
  }
}
