import { ChainUnavailable } from '../chain.js';
import { addressWord, type CallOutcome, constantCall, numberWord } from './constant-call.js';
import type { TronHttp, TronInterface } from './tron-http.js';

/** Of USDC, of USDT, and of newer versions of USDT. A token supports at most one. */
const BLACK_LISTS = ['isBlacklisted(address)', 'isBlackListed(address)', 'isBlocked(address)'];

/** A transfer of a token; addresses by their keys. */
export interface TriedTransfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** Calls of tokens on the state of one interface. */
export class TokenCalls {
  constructor(
    private readonly http: Pick<TronHttp, 'ask'>,
    private readonly of: TronInterface,
  ) {}

  /** Returns an address's balance. @throws ChainUnavailable when the contract names none */
  async balanceOf(token: string, owner: string): Promise<bigint> {
    const outcome = await this.call(token, 'balanceOf(address)', [addressWord(owner)]);
    if (outcome.kind === 'returned' && outcome.word !== null) return outcome.word;
    throw new ChainUnavailable(`The node returned no balance of ${token}: ${outcome.kind}.`);
  }

  /** Whether the token's issuer has frozen an address; false for a token without a black list. */
  async isFrozen(token: string, owner: string): Promise<boolean> {
    const outcomes = await Promise.all(BLACK_LISTS.map((selector) => this.call(token, selector, [addressWord(owner)])));
    return outcomes.some((outcome) => outcome.kind === 'returned' && outcome.word === 1n);
  }

  /**
   * Returns what the issuer of a token has changed, as that of USDT can: a share of each transfer goes to the issuer, or another
   * contract has taken the place of this one. Null for neither, and for a token without such a switch.
   * @throws ChainUnavailable when the node does not execute the question
   */
  async changeOf(token: string): Promise<'takes a fee of transfers' | 'is deprecated' | null> {
    const selectors = ['basisPointsRate()', 'maximumFee()', 'deprecated()'];
    const outcomes = await Promise.all(selectors.map((selector) => this.call(token, selector, [])));
    const [rate, feeMax, deprecated] = outcomes.map((outcome) => {
      if (outcome.kind === 'refused') throw new ChainUnavailable(`The node says nothing of ${token}: ${outcome.code}.`);
      return outcome.kind === 'returned' ? (outcome.word ?? 0n) : 0n;
    });
    if (deprecated !== 0n) return 'is deprecated';
    return rate === 0n || feeMax === 0n ? null : 'takes a fee of transfers';
  }

  /** Executes a transfer without sending it. */
  async transfer({ token, from, to, amount }: TriedTransfer): Promise<CallOutcome> {
    const words = [addressWord(to), numberWord(amount)];
    return constantCall(this.http, this.of, {
      owner: from,
      contract: token,
      selector: 'transfer(address,uint256)',
      words,
    });
  }

  private call(contract: string, selector: string, words: readonly string[]): Promise<CallOutcome> {
    return constantCall(this.http, this.of, { contract, selector, words });
  }
}
