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
