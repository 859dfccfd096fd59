import { blockSpelling } from '../../../chains/block-spelling.js';
import { addressFamilyOf, NATIVE_COIN } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Finding } from '../../check.js';
import { contradictionInBlock } from '../chain-deposits.js';
import { addressesOf, nextBlocks } from '../chain-deposits.sql.js';
import type { AuditedBlockChain } from './audited-block-chain.js';

const BLOCKS_AT_ONCE = 50;

/** Returns the first final deposit that is not in its block, or the first transfer in such a block that is not a deposit. */
export async function findBlockDepositBreach(database: Database, chain: AuditedBlockChain): Promise<Finding | null> {
  const { chainRef, environment, network, finalHeight: upTo } = chain;
  const family = addressFamilyOf(network);
  const addresses = await database.rows(addressesOf(environment, family));
  const ours = new Set(addresses.map(({ addressKey }) => blockSpelling(family, addressKey)));
  for (let above = -1; ;) {
    const blocks = await database.rows(nextBlocks({ chainRef, above, upTo, limit: BLOCKS_AT_ONCE }));
    for (const block of blocks) {
      const breach = await breachIn(chain, ours, block);
      if (breach !== null) return breach;
      above = Number(block.blockHeight);
    }
    if (blocks.length === 0) return null;
  }
}

async function breachIn(
  { client, tokens }: AuditedBlockChain,
  ours: ReadonlySet<string>,
  block: RowOf<typeof nextBlocks>,
): Promise<Finding | null> {
  const { blockHeight: height, blockHash: hash, deposits } = block;
  const header = await client.headerAt(Number(height));
  if (header?.hash !== hash) {
    const lost = deposits.find(({ isFinal }) => isFinal);
    if (lost === undefined) return null;
    return { row: `deposit ${lost.id}`, says: `is in block ${height} (${hash}), which is not on the chain` };
  }
  const sightings = await client.sightingsIn(header, [...tokens, NATIVE_COIN], (address) => ours.has(address));
  const isCoin = ({ token }: { readonly token: string }): boolean => token === NATIVE_COIN;
  const transfers = sightings.filter((sighting) => !isCoin(sighting));
  return contradictionInBlock(block, { transfers, coins: sightings.filter(isCoin) });
}
