import { type ChainClient, NATIVE_POSITION, type Sighting } from '../../chains/chain.js';
import { type FinalTransfer, presenceOf } from '../../chains/transfer-presence.js';
import { addressFamilyOf, NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import type { AuditedChain } from '../audited-chain.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { Finding } from '../check.js';
import { addressesOf, nextBlocks } from './chain-deposits.sql.js';

const BLOCKS_AT_ONCE = 50;

type BlockRow = RowOf<typeof nextBlocks>;
type BlockDeposit = BlockRow['deposits'][number];

/** Returns the first final deposit that is not in its block, or the first transfer in such a block that is not a deposit. */
export async function findDepositBreach(database: Database, chain: AuditedChain): Promise<Finding | null> {
  const ours = await ownAddresses(database, chain);
  const upTo = chain.final.height;
  let above = -1;
  for (;;) {
    const blocks = await database.rows(nextBlocks({ chainRef: chain.chainRef, above, upTo, limit: BLOCKS_AT_ONCE }));
    for (const block of blocks) {
      const breach = await breachIn(chain, ours, block);
      if (breach !== null) return breach;
      above = Number(block.blockHeight);
    }
    if (blocks.length === 0) return null;
  }
}

async function ownAddresses(database: Database, { environment, client }: AuditedChain): Promise<ReadonlySet<string>> {
  const addresses = await database.rows(addressesOf(environment, addressFamilyOf(client.network)));
  return new Set(addresses.map(({ addressKey }) => addressKey));
}

async function breachIn(
  { client, tokens }: AuditedChain,
  ours: ReadonlySet<string>,
  block: BlockRow,
): Promise<Finding | null> {
  const { blockHeight: height, blockHash: hash, deposits } = block;
  const header = await client.headerAt(Number(height));
  const isOurs = (address: string): boolean => ours.has(address);
  if (header?.hash !== hash) {
    const reorged = await firstReorged(client, block);
    if (reorged === null) return null;
    return { row: `deposit ${reorged.id}`, says: `is in block ${height} (${hash}), which is not on the chain` };
  }
  const transfers = await client.transfersIn(header, tokens, isOurs);
  const hasCoins = deposits.some((deposit) => deposit.tokenContract === NATIVE_COIN && deposit.txHash !== null);
  const coins = hasCoins ? await client.nativeTransfersIn(header, isOurs) : [];
  return contradictionInBlock(block, { transfers, coins });
}

/**
 * Compares the deposits of a block with the transfers of tokens to us in it, and those of the coin. Returns the first deposit
 * that is not among them, or the first transfer of a token that is not a deposit.
 */
export function contradictionInBlock(
  { blockHeight: height, deposits }: Pick<BlockRow, 'blockHeight' | 'deposits'>,
  { transfers, coins }: { readonly transfers: readonly Sighting[]; readonly coins: readonly Sighting[] },
): Finding | null {
  const onChain = new Set([...transfers, ...coins].map(keyOfSighting));
  const absent = deposits.find(
    (deposit) => deposit.isFinal && deposit.txHash !== null && !onChain.has(keyOfDeposit(deposit)),
  );
  if (absent !== undefined)
    return { row: `deposit ${absent.id}`, says: `moves ${absent.amount}, but block ${height} has no such transfer` };
  const stored = new Set(deposits.map(keyOfDeposit));
  const missed = transfers.find((transfer) => !stored.has(keyOfSighting(transfer)));
  if (missed === undefined) return null;
  return {
    row: `transfer ${missed.txHash}/${missed.position}`,
    says: `moved ${missed.amount} of ${missed.token} to ${missed.to} and is not recorded as a deposit`,
  };
}

/** Returns the first final deposit of a replaced block whose transaction did not move to another block. */
async function firstReorged(client: ChainClient, block: BlockRow): Promise<BlockDeposit | null> {
  const final = block.deposits.filter((deposit) => deposit.isFinal);
  const moved = final.flatMap((deposit) => finalTransferOf(deposit, block) ?? []);
  const presence = moved.length === 0 ? null : await presenceOf(client, moved);
  return final.find(({ id }) => presence?.get(id) !== 'there') ?? null;
}

/** Returns null for a deposit that only a balance showed. */
function finalTransferOf(deposit: BlockDeposit, block: BlockRow): FinalTransfer | null {
  if (deposit.txHash === null) return null;
  const { id, txHash, position, tokenContract: token, toAddress: to, amount } = deposit;
  const place = { blockHeight: Number(block.blockHeight), blockHash: block.blockHash };
  return { id, txHash, position, token, to, amount: BigInt(amount), ...place };
}

const keyOfSighting = ({ txHash, position, token, to, amount }: Sighting): string =>
  [txHash, position, token, to, amount].join(' ');

function keyOfDeposit({ txHash, position, tokenContract: token, toAddress: to, amount }: BlockDeposit): string {
  return [txHash, token === NATIVE_COIN ? NATIVE_POSITION : position, token, to, amount].join(' ');
}
