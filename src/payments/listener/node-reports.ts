import { blockSpelling } from '../../chains/block-spelling.js';
import { type BlockClient, NodeBehind } from '../../chains/chain.js';
import type { ChainNodes, Opinion } from '../../chains/nodes/chain-nodes.js';
import { addressFamilyOf } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import { findNewestFinal } from './second-node.sql.js';

/** A final block of the recorded chain, at which balances are read: not every node keeps the old ones. */
interface BalanceBlock {
  readonly height: number;
  readonly hash: string;
}

/** A stored deposit that a node is asked about. */
export interface QuestionedDeposit {
  readonly id: string;
  /** Null for coins that only the balance of the address showed. */
  readonly txHash: string | null;
  readonly position: number;
  readonly token: string;
  /** The key of the address. */
  readonly to: string;
  /** Smallest units. */
  readonly amount: bigint;
  /** Coins that the books have on the address up to `BalanceBlock`; used only for a deposit without a transaction. */
  readonly knownUnits: bigint;
}

/** Deposits of one block. */
export interface QuestionedBlock {
  readonly height: number;
  readonly hash: string;
  readonly deposits: readonly QuestionedDeposit[];
}

/** Asks all nodes of a chain that is read by blocks; none has an opinion before a final block is recorded. */
export async function blockOpinions(
  database: Database,
  { chainRef, nodes }: { readonly chainRef: string; readonly nodes: Pick<ChainNodes<BlockClient>, 'ask'> },
  block: QuestionedBlock,
): Promise<readonly Opinion<ReadonlySet<string>>[]> {
  const [final] = await database.rows(findNewestFinal(chainRef));
  if (final === undefined) return [];
  const balanceBlock = { height: Number(final.height), hash: final.hash };
  return nodes.ask((client) => reportedBy(client, block, balanceBlock));
}

/**
 * Returns the ids of the deposits that the node reports too, in the same block.
 * @throws ChainUnavailable when the node does not have the block, and so has no opinion.
 */
async function reportedBy(
  client: BlockClient,
  block: QuestionedBlock,
  balanceBlock: BalanceBlock,
): Promise<ReadonlySet<string>> {
  const { deposits } = block;
  const remainders = deposits.filter(({ txHash }) => txHash === null);
  const transfers = deposits.filter(({ txHash }) => txHash !== null);
  const reported = await keysReportedBy(client, block, transfers);
  const addresses = remainders.map(({ to }) => to);
  const balances = addresses.length === 0 ? [] : await balancesSince(client, balanceBlock, addresses);
  return new Set([
    ...transfers.filter((deposit) => reported.has(keyOf(deposit))).map(({ id }) => id),
    ...remainders.filter(({ knownUnits }, index) => (balances[index] ?? -1n) >= knownUnits).map(({ id }) => id),
  ]);
}

/** @throws NodeBehind when the node's balances are older than the block. */
async function balancesSince(
  client: BlockClient,
  block: BalanceBlock,
  addresses: readonly string[],
): Promise<readonly bigint[]> {
  const { asOf, units } = await client.coinBalances(block, addresses);
  if (asOf.height < block.height) throw new NodeBehind(`The node's balances are older than block ${block.height}.`);
  return units;
}

async function keysReportedBy(
  client: BlockClient,
  block: QuestionedBlock,
  transfers: readonly QuestionedDeposit[],
): Promise<ReadonlySet<string>> {
  const family = addressFamilyOf(client.network);
  const recipients = new Set(transfers.map(({ to }) => blockSpelling(family, to)));
  const tokens = new Set(transfers.map(({ token }) => token));
  if (tokens.size === 0) return new Set();
  const sightings = await client.sightingsIn(block, [...tokens], (address) => recipients.has(address));
  return new Set(sightings.map(keyOf));
}

type Movement = Pick<QuestionedDeposit, 'txHash' | 'position' | 'token' | 'to' | 'amount'>;

function keyOf({ txHash, position, token, to, amount }: Movement): string {
  return [txHash, position, token, to, amount].join(' ');
}
