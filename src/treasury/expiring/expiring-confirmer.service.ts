import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { FinalTransaction } from '../../chains/expiring.js';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../chain-job.js';
import type { LostAmount, ShortPayment } from '../transactions/outcome-handler.js';
import { type MinedAttempt, OutcomeRecorder } from '../transactions/outcome-recorder.service.js';
import { chainsWithOpen } from '../transactions/outcomes.sql.js';
import { type ExpiringChain, type ExpiringNode, TreasuryChains } from '../treasury-chains.service.js';
import { ExpiredTransactions } from './expired-transactions.service.js';
import { decimalsOfTokens, openExpiring } from './expiring-payments.sql.js';
import { outcomeOf, ownOutcomeOf } from './final-outcome.js';
import { lossEnd } from './lost-funds.js';
import { type MovedFunds, type SweepEnd, sweepEnd } from '../sweeps/expiring/moved-funds.js';
import { fundsOfSweeps } from '../sweeps/expiring/signed-sweeps.js';
import { ProofTurns } from './proof-turns.js';

const BATCH = 100;
/** Proofs of one round; each reads some hundred blocks. */
const PROOFS_MAX = 10;

type OpenRow = RowOf<typeof openExpiring>;
/** An open transaction as the chain is asked about it. */
type Open = Omit<OpenRow, 'amount' | 'until' | 'afterHeight' | 'nonce'> & {
  readonly nonce: number;
  readonly amount: bigint;
  /** The funds of a sweep; null for a payment. */
  readonly sweptFunds: readonly MovedFunds[] | null;
  readonly until: number;
  readonly afterHeight: number;
};

/** What the nodes know of open transactions. */
interface Findings {
  readonly mined: readonly (readonly [Open, MinedAttempt])[];
  /** Ended by one node alone: another one contradicts it, or a required confirmation is missing. */
  readonly disputed: readonly Open[];
  /** In no final block that a node has. */
  readonly unknown: readonly Open[];
}

/** A transaction that is proven to have expired, by this many nodes. */
type Expired = readonly [open: Open, nodes: number];

/**
 * Determines how transactions that expire ended: by the changes in final blocks, or by the proof that none contains them.
 * An unknown transaction is neither, whatever its age.
 */
@Injectable()
export class ExpiringConfirmer {
  private readonly job: ChainJob<ExpiringChain>;
  /** Transactions whose dispute was logged. */
  private readonly disputed = new Set<string>();
  /** By chain. */
  private readonly turns = new Map<string, ProofTurns>();

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    private readonly outcomes: OutcomeRecorder,
    private readonly expired: ExpiredTransactions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('outgoing transactions', chains.expiring, logger);
  }

  /** Checks every chain that has open transactions. A chain that is down or hangs delays no other. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler', when: chainsWithOpen })
  async confirmAll(): Promise<void> {
    const busy = await this.database.rows(chainsWithOpen);
    await this.job.run(new Map(busy.map(({ chainRef }) => [chainRef, null])), (chain) => this.confirm(chain));
  }

  private async confirm(chain: ExpiringChain): Promise<void> {
    const unknown: Open[] = [];
    for (let after = -1; ;) {
      const open = await this.page(chain.chainRef, after);
      if (open.length > 0) unknown.push(...(await this.recordMined(chain, open)));
      if (open.length < BATCH) break;
      after = open.at(-1)?.nonce ?? after;
    }
    // After all outcomes: a proof reads hundreds of blocks, and some nodes lack them.
    await this.freeExpired(chain, unknown);
  }

  private async page(chainRef: string, after: number): Promise<readonly Open[]> {
    const rows = await this.database.rows(openExpiring(chainRef, { after, limit: BATCH }));
    const sweepIds = rows.filter(({ purpose }) => purpose === 'sweep').map(({ purposeId }) => purposeId);
    const funds = await fundsOfSweeps(this.database, sweepIds);
    return rows.map((row) => openOf(row, funds));
  }

  /** Records how transactions ended; returns those of which no node knows that. */
  private async recordMined({ chainRef, nodes }: ExpiringChain, open: readonly Open[]): Promise<readonly Open[]> {
    // A loss may take any token.
    const listed = open.some(({ purpose }) => purpose === 'loss')
      ? (await this.database.rows(decimalsOfTokens(chainRef))).map(({ contract }) => contract)
      : [];
    const { mined, disputed, unknown } = await nodes.attempt((session) => inspect(session, open, listed));
    await this.outcomes.end(mined);
    for (const [{ id }] of mined) this.disputed.delete(id);
    for (const { id } of disputed) this.reportDispute(chainRef, id);
    return unknown;
  }

  private async freeExpired({ chainRef, nodes }: ExpiringChain, unknown: readonly Open[]): Promise<void> {
    if (unknown.length === 0) return;
    const progress = await nodes.attempt(({ client }) => client.finalProgress());
    const late = unknown.filter(({ until }) => until < progress);
    const turns = this.turns.get(chainRef) ?? new ProofTurns();
    this.turns.set(chainRef, turns);
    for (const transaction of turns.next(late, PROOFS_MAX, performance.now())) {
      const proof = await nodes.attempt((session) => expiryOf(session, transaction));
      if (proof === null) continue;
      const [{ id, until }, count] = proof;
      await this.expired.free({ transactionId: id, until, nodes: count });
    }
  }

  private reportDispute(chainRef: string, transactionId: string): void {
    if (this.disputed.has(transactionId)) return;
    this.disputed.add(transactionId);
    this.logger.error({ transactionId, chainRef }, 'No other node confirmed how a transaction ended.');
  }
}

async function inspect(
  session: NodeSession<ExpiringNode>,
  open: readonly Open[],
  listed: readonly string[],
): Promise<Findings> {
  const hashes = open.map(({ txHash }) => txHash);
  const swept = open.flatMap(({ sweptFunds }) => sweptFunds ?? []).map(({ token }) => token);
  const tokens = [...new Set([...open.map(({ tokenContract }) => tokenContract), ...swept, ...listed])];
  const finals = await session.client.finalTransactionsOf(hashes, tokens);
  const others = session.isAlone ? [] : await session.askOthers((client) => client.finalTransactionsOf(hashes, tokens));
  const mined: (readonly [Open, MinedAttempt])[] = [];
  const disputed: Open[] = [];
  const unknown: Open[] = [];
  for (const [place, transaction] of open.entries()) {
    // A node may have dropped what another one still has.
    const [final, ...opinions] = [finals, ...others.map(({ answer }) => answer)].flatMap(
      (answer) => answer[place] ?? [],
    );
    if (final === undefined) {
      unknown.push(transaction);
      continue;
    }
    const attempt = minedBy(transaction, final);
    const isAgreed = attempt !== null && agrees(transaction, attempt, opinions, session.isAlone);
    if (isAgreed) mined.push([transaction, attempt]);
    else disputed.push(transaction);
  }
  return { mined, disputed, unknown };
}

/** How a transaction ended. */
interface TransactionEnd extends SweepEnd {
  /** Null unless it is a loss. */
  readonly lost: readonly LostAmount[] | null;
  /** Null unless it is a payment of which less arrived. */
  readonly short: ShortPayment | null;
}

/** Returns how a final transaction ended a payment, a sweep or a loss; null when it proves nothing. */
function minedBy(transaction: Open, final: FinalTransaction): MinedAttempt | null {
  const outcome = endOf(transaction, final);
  if (outcome === null) return null;
  const { txHash, blockHash, height } = final;
  const { succeeded, cost: fee, returnedRent, lost, short } = outcome;
  return { txHash, blockHash, height, succeeded, fee, returnedRent, lost, short, logs: [] };
}

function endOf(transaction: Open, final: FinalTransaction): TransactionEnd | null {
  const { purpose, sender, destination: recipient, tokenContract: token, amount, sweptFunds } = transaction;
  const none = { returnedRent: 0n, lost: null, short: null };
  const outcome =
    sweptFunds !== null
      ? sweepEnd({ hotWallet: recipient, feePayer: sender, funds: sweptFunds }, final)
      : purpose === 'loss'
        ? lossEnd({ hotWallet: sender, coins: amount }, final)
        : purpose === 'stake'
          ? ownOutcomeOf(sender, final)
          : outcomeOf({ sender, recipient, token, amount }, final);
  return outcome === null ? null : { ...none, ...outcome };
}

/**
 * No node may contradict. A failure, which gives money back, and a loss, which is booked by its changes, need a second node
 * where there is one.
 */
function agrees(
  transaction: Open,
  attempt: MinedAttempt,
  opinions: readonly FinalTransaction[],
  isAlone: boolean,
): boolean {
  const isSame = (opinion: FinalTransaction): boolean => {
    const other = minedBy(transaction, opinion);
    return (
      other?.succeeded === attempt.succeeded &&
      other.blockHash === attempt.blockHash &&
      other.fee === attempt.fee &&
      other.returnedRent === attempt.returnedRent &&
      isDeepStrictEqual(other.lost, attempt.lost) &&
      isDeepStrictEqual(other.short, attempt.short)
    );
  };
  const isEnough = attempt.succeeded && transaction.purpose !== 'loss';
  return opinions.every(isSame) && (isEnough || isAlone || opinions.length > 0);
}

/** Returns the proof that a transaction has expired: no final block contains it, as a second node agrees where there is one. */
async function expiryOf(session: NodeSession<ExpiringNode>, transaction: Open): Promise<Expired | null> {
  const { txHash, until, afterHeight, afterHash } = transaction;
  const attempt = { txHash, expiry: { after: { height: afterHeight, hash: afterHash }, until } };
  if (!(await session.client.isDead(attempt))) return null;
  const opinions = session.isAlone ? [] : await session.askOthers((client) => client.isDead(attempt));
  const isConfirmed = session.isAlone || (opinions.length > 0 && opinions.every(({ answer }) => answer));
  return isConfirmed ? [transaction, 1 + opinions.length] : null;
}

const openOf = (
  { amount, until, afterHeight, nonce, ...row }: OpenRow,
  fundsBySweep: ReadonlyMap<string, readonly MovedFunds[]>,
): Open => ({
  ...row,
  nonce: Number(nonce),
  sweptFunds: row.purpose === 'sweep' ? (fundsBySweep.get(row.purposeId) ?? []) : null,
  amount: BigInt(amount),
  until: Number(until),
  afterHeight: Number(afterHeight),
});
