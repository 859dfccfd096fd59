import { type ChainClient, ChainUnavailable } from '../../chains/chain.js';
import type { Database } from '../../platform/database/database.js';
import type { TreasuryChain } from '../treasury-chains.service.js';

/** A node that takes longer has no say. */
const PATIENCE_MS = 10_000;

/** How many transactions of a wallet a chain counts. */
export interface WalletCounts {
  /** In blocks, by the newest. */
  readonly mined: number;
  /** With what waits in the pool; never fewer than `mined`. */
  readonly waiting: number;
  /** When the newest block was made, by its own word. */
  readonly headTime: Date;
}

/** What one node counts of an address (lower case). @throws ChainUnavailable */
export async function countsBy(client: ChainClient, address: string): Promise<WalletCounts> {
  const head = await client.head();
  const mined = await client.outgoing.nonceAt(head, address);
  return { mined, waiting: Math.max(mined, await client.outgoing.pendingNonce(address)), headTime: head.time };
}

/**
 * The most that any node counts, for when the rows are not believed: a node that is behind has forgotten transactions just
 * as an older database has. So one of those asked must show a block of the last five minutes by the database's clock; a
 * development chain makes blocks only when there is something to put in.
 * @throws ChainUnavailable when none does
 */
export async function highestCounts(
  database: Database,
  { profile, nodes }: Pick<TreasuryChain, 'profile' | 'nodes'>,
  address: string,
): Promise<WalletCounts> {
  const answers = await nodes.ask((client) => countsBy(client, address), { withinMs: PATIENCE_MS });
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
  const [row] = await database.query<{ is_recent: boolean }>(
    `select $1::timestamptz > clock_timestamp() - interval '5 minutes' as is_recent`,
    [time],
  );
  return row?.is_recent === true;
}
