import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
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
import type { BroadcastAnswer } from '../outgoing.js';
import {
  FREEZE_SLICE,
  FUNDS_SLICE,
  isFrozenIn,
  lamportsOf,
  tokenFundsOf,
  WHOLE_SLICE,
  wholeFundsOf,
} from './account-data.js';
import { currentConditions } from './current-conditions.js';
import { isProvenDead } from './death-proof.js';
import { finalTransaction } from './final-transaction.js';
import { unsignedTransaction } from './moves-message.js';
import { keptConditions } from './payment-conditions.js';
import { movesOf } from './planned-moves.js';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.js';
import {
  accountsShape,
  blockHeightShape,
  childBlockShape,
  simulationShape,
  slotShape,
  statusesShape,
  transactionBytesShape,
  transactionShape,
} from './rpc-shapes.js';
import { sentAction } from './sent-action.js';
import { expiryOfMined, readSentBytes } from './sent-bytes.js';
import { sentTransactions } from './sent-transactions.js';
import { simulatedOutcome } from './simulated-outcome.js';
import { SolanaReader } from './solana-reader.js';
import { resultOf } from './solana-rpc.js';
import { associatedTokenAccount } from './token-account.js';

/** The limit of `getSignatureStatuses`. */
const STATUSES_MAX = 256;
/** The limit of `getMultipleAccounts`. */
const ACCOUNTS_MAX = 100;
/** "Transaction version (1) is not supported by the requesting client." */
const UNSUPPORTED_VERSION = -32015;

/** Reads Solana and pays on it, through one node. */
export class SolanaClient extends SolanaReader implements ExpiringClient {
  async conditions(): Promise<PaymentConditions> {
    return keptConditions(await currentConditions(this.rpc));
  }

  async broadcastAll(raws: readonly string[]): Promise<readonly BroadcastAnswer[]> {
    const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
    const outcomes = await this.rpc.outcomes(
      raws.map((raw) => ({ method: 'sendTransaction', params: [raw, options] })),
    );
    return outcomes.map((outcome) =>
      'refusal' in outcome ? { accepted: false, message: outcome.refusal.message } : { accepted: true },
    );
  }

  async areKnown(txHashes: readonly string[]): Promise<readonly boolean[]> {
    const known: boolean[] = [];
    for (let start = 0; start < txHashes.length; start += STATUSES_MAX) {
      const chunk = txHashes.slice(start, start + STATUSES_MAX);
      const params = [chunk, { searchTransactionHistory: true }];
      const { value } = await this.rpc.ask(statusesShape, 'getSignatureStatuses', params);
      if (value.length !== chunk.length) throw new ChainUnavailable('The node left a transaction out.');
      known.push(...value.map((status) => status !== null));
    }
    return known;
  }

  async finalTransactionsOf(
    txHashes: readonly string[],
    tokens: readonly string[],
  ): Promise<readonly (FinalTransaction | null)[]> {
    const outcomes = await this.rpc.transactions(txHashes, 'finalized');
    const answers = outcomes.map((outcome) => resultOf(transactionShape.nullable(), outcome));
    const slots = [...new Set(answers.flatMap((answer) => answer?.slot ?? []))];
    const hashes = await this.finalHashesAt(slots);
    return answers.map((answer, place) => {
      if (answer === null) return null;
      if (answer.transaction.signatures[0] !== txHashes[place]) {
        throw new ChainUnavailable('The node returned another transaction than the one asked for.');
      }
      return finalTransaction(answer, hashes[slots.indexOf(answer.slot)] ?? '', tokens);
    });
  }

  /** The height of a block counts blocks, unlike its slot. */
  finalProgress(): Promise<number> {
    return this.rpc.ask(slotShape, 'getBlockHeight', [{ commitment: 'finalized' }]);
  }

  async progressAt(slot: number): Promise<number | null> {
    const [outcome] = await this.rpc.blocksAt([slot], 'finalized');
    if (outcome === undefined) return null;
    return resultOf(blockHeightShape.nullable(), outcome)?.blockHeight ?? null;
  }

  isDead(attempt: LiveAttempt): Promise<boolean> {
    return isProvenDead(this.rpc, attempt);
  }

  async finalBalancesOf(owner: string, tokens: readonly string[], since: number): Promise<FinalBalances> {
    const accounts = await Promise.all(
      tokens.map(async (token) => {
        const account = token === NATIVE_COIN ? owner : await associatedTokenAccount(owner, token);
        return { account, token };
      }),
    );
    const balances = await this.balancesAt('finalized', accounts, since);
    const height = balances[0]?.asOf ?? since;
    const units = balances.map((balance) => balance.units);
    const [hash = ''] = await this.finalHashesAt([height]);
    return { asOf: { height, hash }, units, owned: units, lent: 0n };
  }

  async finalFundsAt(places: readonly FundsPlace[], since: number): Promise<readonly PlacedFunds[]> {
    const funds: PlacedFunds[] = [];
    const isWhole = places.some(({ account }) => account !== undefined);
    const dataSlice = isWhole ? WHOLE_SLICE : FUNDS_SLICE;
    const options = { commitment: 'finalized', encoding: 'base64', dataSlice, minContextSlot: since };
    for (let start = 0; start < places.length; start += this.accountsPerRequest) {
      const some = places.slice(start, start + this.accountsPerRequest);
      const accounts = await Promise.all(
        some.map(async ({ owner, token, account }) =>
          token === NATIVE_COIN ? owner : (account ?? associatedTokenAccount(owner, token)),
        ),
      );
      const { value, context } = await this.rpc.ask(accountsShape, 'getMultipleAccounts', [accounts, options]);
      if (value.length !== some.length || context.slot < since) {
        throw new ChainUnavailable(`The node returned ${value.length} of ${some.length} accounts, at ${context.slot}.`);
      }
      funds.push(
        ...value.map((stored, nth) => {
          const place = some[nth];
          if (place?.token === NATIVE_COIN) {
            return { units: lamportsOf(stored), hasAccount: true, isFrozenByIssuer: false };
          }
          return isWhole && place !== undefined ? wholeFundsOf(stored, place) : tokenFundsOf(stored);
        }),
      );
    }
    return funds;
  }

  async sentBytesOf(txHash: string): Promise<SentBytes | 'unreadable' | null> {
    const options = { commitment: 'finalized', encoding: 'base64', maxSupportedTransactionVersion: 0 };
    const [outcome] = await this.rpc.outcomes([{ method: 'getTransaction', params: [txHash, options] }]);
    if (outcome !== undefined && 'refusal' in outcome && outcome.refusal.code === UNSUPPORTED_VERSION) {
      return 'unreadable';
    }
    const answer = resultOf(transactionBytesShape.nullable(), outcome);
    if (answer === null) return null;
    const read = readSentBytes(answer.transaction[0]);
    if (read?.txHash !== txHash) return 'unreadable';
    const [block] = await this.rpc.blocksAt([answer.slot], 'finalized');
    const { decoded, ...sent } = read;
    const expiry = expiryOfMined(decoded, resultOf(childBlockShape, block));
    return { ...sent, expiry, action: sentAction(read) };
  }

  sentBy(payer: string, above: number): Promise<SentTransactions> {
    return sentTransactions(this.rpc, payer, above);
  }

  async needsAccount(owner: string, token: string): Promise<boolean> {
    if (token === NATIVE_COIN) return !(await this.isFunded(owner));
    const account = await this.tokenAccountOf(owner, token);
    return account?.owner !== TOKEN_PROGRAM;
  }

  async isFrozenByIssuer(token: string, owner: string): Promise<boolean> {
    return token !== NATIVE_COIN && isFrozenIn(await this.tokenAccountOf(owner, token));
  }

  async simulate(planned: readonly PlannedPayment[]): Promise<readonly (ExpiringOutcome | null)[]> {
    const raws = planned.map((payment) => unsignedTransaction(movesOf(payment)));
    const options = { commitment: 'confirmed', encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true };
    const answers = await this.rpc.askAll(
      simulationShape,
      'simulateTransaction',
      raws.map((raw) => [raw, options]),
    );
    const isWallet = await this.walletsAmong(planned);
    return Promise.all(
      answers.map(async ({ value }, place) => {
        const payment = planned[place];
        const [move] = payment === undefined ? [] : movesOf(payment).moves;
        const outcome = simulatedOutcome(value.err, move, raws[place] ?? '');
        if (outcome === 'accepts') return move === undefined || isWallet(move.to) ? outcome : 'rejects';
        if (outcome !== 'frozen' || move?.kind !== 'token') return outcome === 'frozen' ? null : outcome;
        // The program does not say whose account is frozen.
        return (await this.isFrozenByIssuer(move.token, move.from)) ? null : 'rejects';
      }),
    );
  }

  /**
   * Returns which destinations are wallets. The chain pays to a token account, a token or a program as well, but the keys of
   * their addresses are thrown away as a rule.
   */
  private async walletsAmong(planned: readonly PlannedPayment[]): Promise<(address: string) => boolean> {
    const addresses = [...new Set(planned.flatMap((payment) => movesOf(payment).moves.map(({ to }) => to)))];
    const others = new Set<string>();
    for (let start = 0; start < addresses.length; start += ACCOUNTS_MAX) {
      const chunk = addresses.slice(start, start + ACCOUNTS_MAX);
      const params = [chunk, { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 0, length: 0 } }];
      const { value } = await this.rpc.ask(accountsShape, 'getMultipleAccounts', params);
      if (value.length !== chunk.length) throw new ChainUnavailable('The node left an account out.');
      for (const [place, address] of chunk.entries())
        if ((value[place]?.owner ?? SYSTEM_PROGRAM) !== SYSTEM_PROGRAM) others.add(address);
    }
    return (address) => !others.has(address);
  }

  private async isFunded(owner: string): Promise<boolean> {
    const options = { commitment: 'confirmed', encoding: 'base64', dataSlice: FREEZE_SLICE };
    const { value } = await this.rpc.ask(accountsShape, 'getMultipleAccounts', [[owner], options]);
    if (value.length !== 1) throw new ChainUnavailable('The node left an account out.');
    return value[0] !== null;
  }

  /** Returns the associated account with the part of its data that says whether it is frozen. */
  private async tokenAccountOf(owner: string, token: string) {
    const options = { commitment: 'confirmed', encoding: 'base64', dataSlice: FREEZE_SLICE };
    const params = [[await associatedTokenAccount(owner, token)], options];
    const { value } = await this.rpc.ask(accountsShape, 'getMultipleAccounts', params);
    if (value.length !== 1) throw new ChainUnavailable('The node left an account out.');
    return value[0] ?? null;
  }

  private async finalHashesAt(slots: readonly number[]): Promise<readonly string[]> {
    const blocks = await this.rpc.blocksAt(slots, 'finalized');
    return blocks.map((block) => resultOf(blockHeightShape, block).blockhash);
  }
}
