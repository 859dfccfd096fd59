import { type ChainClient, ChainUnavailable } from '../../chains/chain.js';
import type { Database } from '../../platform/database/database.js';
import { NODE_PATIENCE_MS } from '../node-patience.js';
import type { TreasuryChain } from '../treasury-chains.service.js';
import { isOfLastMinutes } from './wallet-counts.sql.js';

/** The transaction counts of a wallet on a chain. */
export interface WalletCounts {
  /** In blocks, at the newest one. */
  readonly mined: number;
  /** Including the mempool; never fewer than `mined`. */
  readonly waiting: number;
  /** The timestamp of the newest block. */
  readonly headTime: Date;
}

/** Returns the counts of one node for an address (lower case). @throws ChainUnavailable */
export async function countsBy(client: ChainClient, address: string): Promise<WalletCounts> {
  const head = await client.head();
  const mined = await client.outgoing.nonceAt(head, address);
  return { mined, waiting: Math.max(mined, await client.outgoing.pendingNonce(address)), headTime: head.time };
}

/**
 * Returns the highest counts of all nodes, for when stored counts are not trusted: a node that lags misses transactions
 * just as an older database does. So at least one node must show a block of the last five minutes by the database's
 * clock; a development chain makes blocks on demand only.
 * A node that takes longer than `withinMs` is ignored.
 * @throws ChainUnavailable when none does
 */
export async function highestCounts(
  database: Database,
  { profile, nodes }: Pick<TreasuryChain, 'profile' | 'nodes'>,
  address: string,
  withinMs: number = NODE_PATIENCE_MS,
): Promise<WalletCounts> {
  const answers = await nodes.ask((client) => countsBy(client, address), { withinMs });
  const counts = answers.map(({ answer }) => answer);
  const newest = counts.toSorted((a, b) => b.headTime.getTime() - a.headTime.getTime()).at(0);
  if (newest === undefined) throw new ChainUnavailable(`No node of ${profile.network} counts the hot wallet.`);
  if (profile.quietGraceMs === null && !(await isRecent(database, newest.headTime))) {
    throw new ChainUnavailable(
      `No node of ${profile.network} shows a block of the last 5 minutes: transactions since then would be missed.`,
    );
  }
  return {
    mined: Math.max(...counts.map(({ mined }) => mined)),
    waiting: Math.max(...counts.map(({ waiting }) => waiting)),
    headTime: newest.headTime,
  };
}

async function isRecent(database: Database, time: Date): Promise<boolean> {
  const [row] = await database.rows(isOfLastMinutes(time));
  return row?.isRecent === true;
}
