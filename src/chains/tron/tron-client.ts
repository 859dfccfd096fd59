import { NATIVE_COIN } from '../../domain/network.js';
import { NodeBehind } from '../chain.js';
import type {
  ExpiringClient,
  ExpiringOutcome,
  FinalBalances,
  FinalTransaction,
  FundsPlace,
  LiveAttempt,
  PaymentConditions,
  PlacedFunds,
  PlannedPayment,
  SentTransactions,
} from '../expiring.js';
import type { SentBytes } from '../expiring-sent.js';
import type { StakeClient, StakeState } from '../expiring-stakes.js';
import type { OwnCost, OwnCostClient, SweepSource } from '../expiring-sweeps.js';
import type { BroadcastAnswer } from '../outgoing.js';
import { accountOf } from './account.js';
import { broadcastShape, parsed } from './answer-shapes.js';
import { betweenFinalBlocks, type ReadAtFinal } from './between-final-blocks.js';
import { headerIn, isEmpty } from './block-header.js';
import { currentConditions } from './current-conditions.js';
import { isProvenDead } from './death-proof.js';
import { finalTransaction } from './final-transaction.js';
import { foundTransactions } from './found-transactions.js';
import { ownCostOf } from './own-costs.js';
import { keptConditions, readConditions } from './payment-conditions.js';
import { transactionOf } from './planned-transaction.js';
import { sentBytesOf } from './sent-bytes.js';
import { sentTransactions } from './sent-transactions.js';
import { simulatedOutcome } from './simulated-outcome.js';
import { coinsOf } from './solid-balances.js';
import { stakedIn, stakeStateOf } from './staked-coins.js';
import { TokenCalls } from './token-calls.js';
import { TronReader } from './tron-reader.js';

/** Reads Tron and pays on it, through one node. */
export class TronClient extends TronReader implements ExpiringClient, OwnCostClient, StakeClient {
  async conditions(payer: string | null): Promise<PaymentConditions> {
    return keptConditions(await currentConditions(this.http, this.tokens, payer));
  }

  /** A node remembers an id that it has refused, and calls it a duplicate from then on. */
  async broadcastAll(raws: readonly string[]): Promise<readonly BroadcastAnswer[]> {
    return Promise.all(
      raws.map(async (raw): Promise<BroadcastAnswer> => {
        const answer = await this.http.ask('wallet', 'broadcasthex', { transaction: raw });
        const { result, code, message } = parsed(broadcastShape, answer, 'answer to a broadcast');
        return result ? { accepted: true } : { accepted: false, message: `${code} ${message}`.trim() };
      }),
    );
  }

  async areKnown(txHashes: readonly string[]): Promise<readonly boolean[]> {
    return Promise.all(
      txHashes.map(async (value) => !isEmpty(await this.http.ask('wallet', 'gettransactionbyid', { value }))),
    );
  }

  async finalTransactionsOf(
    txHashes: readonly string[],
    tokens: readonly string[],
  ): Promise<readonly (FinalTransaction | null)[]> {
    const found = await foundTransactions(this.http, txHashes);
    return found.map((one) => (one === null ? null : finalTransaction(one, tokens)));
  }

  /** Blocks are measured by their time, in ms. */
  async finalProgress(): Promise<number> {
    return (await this.headOf('walletsolidity')).time.getTime();
  }

  async progressAt(height: number): Promise<number | null> {
    const answer = await this.http.ask('walletsolidity', 'getblock', { id_or_num: String(height), detail: false });
    if (isEmpty(answer)) return null;
    const header = headerIn(answer);
    return header.height === height ? header.time.getTime() : null;
  }

  isDead(attempt: LiveAttempt): Promise<boolean> {
    return isProvenDead(this.http, attempt);
  }

  async finalBalancesOf(owner: string, tokens: readonly string[], since: number): Promise<FinalBalances> {
    const { asOf, value } = await this.atFinalBlock(since, async () => {
      const account = tokens.includes(NATIVE_COIN) ? await accountOf(this.http, 'walletsolidity', owner) : null;
      const { all, lent } = stakedIn(account);
      const coins = BigInt(account?.balance ?? 0);
      const read = async (token: string) => (token === NATIVE_COIN ? coins : this.finalUnits(owner, token));
      const units = await Promise.all(tokens.map(read));
      const owned = units.map((held, place) => (tokens[place] === NATIVE_COIN ? held + all : held));
      return { units, owned, lent };
    });
    return { asOf, ...value };
  }

  async finalFundsAt(places: readonly FundsPlace[], since: number): Promise<readonly PlacedFunds[]> {
    const calls = new TokenCalls(this.http, 'walletsolidity');
    const { value } = await this.atFinalBlock(since, () =>
      Promise.all(
        places.map(async ({ owner, token }): Promise<PlacedFunds> => {
          const units = await this.finalUnits(owner, token);
          const isFrozenByIssuer = token !== NATIVE_COIN && (await calls.isFrozen(token, owner));
          return { units, hasAccount: true, isFrozenByIssuer };
        }),
      ),
    );
    return value;
  }

  sentBytesOf(txHash: string): Promise<SentBytes | 'unreadable' | null> {
    return sentBytesOf(this.http, txHash);
  }

  sentBy(payer: string, above: number): Promise<SentTransactions> {
    return sentTransactions(this.http, payer, above);
  }

  async needsAccount(owner: string, token: string): Promise<boolean> {
    if (token === NATIVE_COIN) return (await accountOf(this.http, 'wallet', owner)) === null;
    return (await new TokenCalls(this.http, 'wallet').balanceOf(token, owner)) === 0n;
  }

  async isFrozenByIssuer(token: string, owner: string): Promise<boolean> {
    return token !== NATIVE_COIN && new TokenCalls(this.http, 'wallet').isFrozen(token, owner);
  }

  async simulate(planned: readonly PlannedPayment[]): Promise<readonly (ExpiringOutcome | null)[]> {
    return Promise.all(planned.map((payment) => simulatedOutcome(this.http, transactionOf(payment))));
  }

  async ownCosts(
    sources: readonly SweepSource[],
    hotWallet: string,
    at: PaymentConditions,
  ): Promise<readonly (OwnCost | null)[]> {
    const terms = { hotWallet, at: readConditions(at) };
    return Promise.all(sources.map((source) => ownCostOf(this.http, source, terms)));
  }

  /** What is due is so by the time of the newest final block, read first. */
  async stakeOf(owner: string): Promise<StakeState> {
    const { time } = await this.headOf('walletsolidity');
    return stakeStateOf(await accountOf(this.http, 'walletsolidity', owner), time);
  }

  private finalUnits(owner: string, token: string): Promise<bigint> {
    if (token === NATIVE_COIN) return coinsOf(this.http, 'walletsolidity', owner);
    return new TokenCalls(this.http, 'walletsolidity').balanceOf(token, owner);
  }

  private async atFinalBlock<T>(since: number, read: () => Promise<T>): Promise<ReadAtFinal<T>> {
    const found = await betweenFinalBlocks(() => this.headOf('walletsolidity'), read);
    if (found.asOf.height >= since) return found;
    throw new NodeBehind(`The node's final block is ${found.asOf.height}, below ${since}.`);
  }
}
