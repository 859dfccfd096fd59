import { ChainUnavailable } from '../../chains/chain.js';
import type { SentTransaction, SentTransactions, TowardsTransaction } from '../../chains/expiring.js';
import type { Database } from '../../platform/database/database.js';
import { NODE_PATIENCE_MS } from '../node-patience.js';
import type { ExpiringChain } from '../treasury-chains.service.js';
import { findAddresses } from '../wallets/deposit-addresses.sql.js';
import { findRecorded } from './expiring-payments.sql.js';

/** A hot wallet, and the final block up to which its transactions were complete; null when they never were. */
interface SentWallet {
  readonly addressKey: string;
  readonly completeHeight: number | string | null;
}

/**
 * Returns the final transactions of a hot wallet that are not recorded, the oldest first, and how far the list is complete. Where
 * deposit addresses pay for their own sweeps, those are among them. One that any node lists counts; a node that takes longer
 * than `withinMs` is ignored.
 * @throws ChainUnavailable when no node answers
 */
export async function readUnrecorded(
  database: Database,
  { chainRef, nodes, profile }: Pick<ExpiringChain, 'chainRef' | 'nodes' | 'profile'>,
  wallet: SentWallet,
  withinMs: number = NODE_PATIENCE_MS,
): Promise<Omit<SentTransactions, 'towards'>> {
  const above = Number(wallet.completeHeight ?? 0);
  // The chain is read first: a transaction that is sent meanwhile is recorded before it is final.
  const answers = await nodes.ask((client) => client.sentBy(wallet.addressKey, above), { withinMs });
  if (answers.length === 0) throw new ChainUnavailable(`No node of ${profile.network} lists the transactions.`);
  const sent = new Map<string, SentTransaction>();
  const towards = answers.flatMap(({ answer }) => answer.towards);
  for (const one of await sweepsAmong(database, chainRef, towards)) sent.set(one.txHash, one);
  for (const { answer } of answers) for (const one of answer.sent) sent.set(one.txHash, one);
  const recorded = await database.rows(findRecorded(chainRef, [...sent.keys()]));
  for (const { txHash } of recorded) sent.delete(txHash);
  const completeUpTo = agreedHeight(answers.map(({ answer }) => answer.completeUpTo));
  return {
    sent: [...sent.values()].toSorted((one, other) => one.height - other.height),
    completeUpTo,
    // A node that is far behind keeps the list where it is: nothing is gained by asking again at once.
    hasMore: completeUpTo > above && answers.some(({ answer }) => answer.hasMore),
  };
}

/** Returns those that a deposit address made. Anybody else may pay a hot wallet. */
async function sweepsAmong(
  database: Database,
  chainRef: string,
  towards: readonly TowardsTransaction[],
): Promise<readonly SentTransaction[]> {
  if (towards.length === 0) return [];
  const senders = [...new Set(towards.map(({ sender }) => sender))];
  const ours = new Set((await database.rows(findAddresses(chainRef, senders))).map((row) => row.addressKey));
  return towards.filter(({ sender }) => ours.has(sender));
}

/**
 * Returns how far the list of sent transactions is complete: as far as two nodes say, where two have answered. One alone may
 * lack the transactions of its newest blocks.
 */
function agreedHeight(heights: readonly number[]): number {
  const [highest = 0, second = highest] = heights.toSorted((a, b) => b - a);
  return second;
}
