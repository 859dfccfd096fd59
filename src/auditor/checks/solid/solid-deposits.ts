import { blockSpelling } from '../../../chains/block-spelling.js';
import type { BlockClient } from '../../../chains/chain.js';
import { addressFamilyOf, NATIVE_COIN } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Finding } from '../../check.js';
import type { AuditedExpiringChain } from '../audited-expiring-chain.js';
import { blockBreach } from '../block-deposits.js';
import { addressesOf, nextBlocks } from '../chain-deposits.sql.js';

const BLOCKS_AT_ONCE = 50;

/** Returns the first final deposit that is not in its block, or the first transfer of a token there that is no deposit. */
export async function findSolidDepositBreach(
  database: Database,
  {
    chainRef,
    environment,
    network,
    tokens,
    client,
    finalHeight,
  }: AuditedExpiringChain & { readonly client: BlockClient },
): Promise<Finding | null> {
  const family = addressFamilyOf(network);
  const addresses = await database.rows(addressesOf(environment, family));
  const ours = new Set(addresses.map(({ addressKey }) => blockSpelling(family, addressKey)));
  for (let above = -1; ;) {
    const blocks = await database.rows(nextBlocks({ chainRef, above, upTo: finalHeight, limit: BLOCKS_AT_ONCE }));
    for (const block of blocks) {
      const breach = await breachIn(client, block, { tokens, ours });
      if (breach !== null) return breach;
      above = Number(block.blockHeight);
    }
    if (blocks.length === 0) return null;
  }
}

async function breachIn(
  client: BlockClient,
  block: RowOf<typeof nextBlocks>,
  { tokens, ours }: { readonly tokens: readonly string[]; readonly ours: ReadonlySet<string> },
): Promise<Finding | null> {
  const { blockHeight: height, blockHash: hash, deposits } = block;
  const header = await client.headerAt(Number(height));
  if (header?.hash !== hash) {
    // A final block is never replaced.
    const reorged = deposits.find(({ isFinal }) => isFinal);
    if (reorged === undefined) return null;
    return { row: `deposit ${reorged.id}`, says: `is in block ${height} (${hash}), which is not on the chain` };
  }
  const transfers = await client.sightingsIn(header, [...tokens, NATIVE_COIN], (address) => ours.has(address));
  return blockBreach(block, {
    tokens: transfers.filter(({ token }) => token !== NATIVE_COIN),
    coins: transfers.filter(({ token }) => token === NATIVE_COIN),
  });
}
