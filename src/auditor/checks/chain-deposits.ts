import { type ChainClient, NATIVE_POSITION, type Sighting } from '../../chains/chain.js';
import { type FinalTransfer, presenceOf } from '../../chains/transfer-presence.js';
import { addressFamilyOf, NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import type { AuditedChain } from '../audited-chain.js';
import { OUT_OF_BOOKS } from './booked-out.sql.js';
import type { Finding } from '../check.js';

const BLOCKS_AT_ONCE = 50;

interface DepositRow {
  readonly id: string;
  /** Null for a deposit that only a balance showed; the balance check covers it. */
  readonly tx_hash: string | null;
  readonly position: number;
  /** False for a deposit that only one node has reported, and for one that was booked out: neither is in the books. */
  readonly is_final: boolean;
  readonly token_contract: string;
  readonly to_address: string;
  readonly amount: string;
}

interface BlockRow {
  readonly block_height: string;
  readonly block_hash: string;
  readonly deposits: readonly DepositRow[];
}

/** Returns the first final deposit that is not in its block, or the first transfer in such a block that is not a deposit. */
export async function findDepositBreach(database: Database, chain: AuditedChain): Promise<Finding | null> {
  const ours = await ownAddresses(database, chain);
  let above = -1;
  for (;;) {
    const blocks = await database.query<BlockRow>(
      `select block_height, block_hash,
              json_agg(json_build_object('id', id, 'tx_hash', tx_hash, 'position', position, 'to_address', to_address,
                'is_final', status = 'confirmed' and not ${OUT_OF_BOOKS},
                'token_contract', token_contract, 'amount', amount::text) order by id) as deposits
         from deposit where chain_ref = $1 and status <> 'orphaned'
          and block_height in (select distinct block_height from deposit
                                where chain_ref = $1 and status <> 'orphaned' and block_height > $2 and block_height <= $3
                                order by block_height limit $4)
        group by block_height, block_hash order by block_height`,
      [chain.chainRef, above, chain.final.height, BLOCKS_AT_ONCE],
    );
    for (const block of blocks) {
      const breach = await breachIn(chain, ours, block);
      if (breach !== null) return breach;
      above = Number(block.block_height);
    }
    if (blocks.length === 0) return null;
  }
}

async function ownAddresses(database: Database, { environment, client }: AuditedChain): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ address_key: string }>(
    `select address_key from pool_address where environment = $1 and family = $2`,
    [environment, addressFamilyOf(client.network)],
  );
  return new Set(rows.map(({ address_key: key }) => key));
}

async function breachIn(
  { client, tokens }: AuditedChain,
  ours: ReadonlySet<string>,
  block: BlockRow,
): Promise<Finding | null> {
  const { block_height: height, block_hash: hash, deposits } = block;
  const header = await client.headerAt(Number(height));
  const isOurs = (address: string): boolean => ours.has(address);
  if (header?.hash !== hash) {
    const reorged = await firstReorged(client, block);
    if (reorged === null) return null;
    return { row: `deposit ${reorged.id}`, says: `is in block ${height} (${hash}), which is not on the chain` };
  }
  const transfers = await client.transfersIn(header, tokens, isOurs);
  const hasCoins = deposits.some((deposit) => deposit.token_contract === NATIVE_COIN && deposit.tx_hash !== null);
  const coins = hasCoins ? await client.nativeTransfersIn(header, isOurs) : [];
  const onChain = new Set([...transfers, ...coins].map(keyOfSighting));
  const absent = deposits.find(
    (deposit) => deposit.is_final && deposit.tx_hash !== null && !onChain.has(keyOfDeposit(deposit)),
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
async function firstReorged(client: ChainClient, block: BlockRow): Promise<DepositRow | null> {
  const final = block.deposits.filter((deposit) => deposit.is_final);
  const moved = final.flatMap((deposit) => finalTransferOf(deposit, block) ?? []);
  const presence = moved.length === 0 ? null : await presenceOf(client, moved);
  return final.find(({ id }) => presence?.get(id) !== 'there') ?? null;
}

/** Returns null for a deposit that only a balance showed. */
function finalTransferOf(deposit: DepositRow, block: BlockRow): FinalTransfer | null {
  if (deposit.tx_hash === null) return null;
  const { id, tx_hash: txHash, position, token_contract: token, to_address: to, amount } = deposit;
  const place = { blockHeight: Number(block.block_height), blockHash: block.block_hash };
  return { id, txHash, position, token, to, amount: BigInt(amount), ...place };
}

const keyOfSighting = ({ txHash, position, token, to, amount }: Sighting): string =>
  [txHash, position, token, to, amount].join(' ').toLowerCase();

function keyOfDeposit({
  tx_hash: txHash,
  position,
  token_contract: token,
  to_address: to,
  amount,
}: DepositRow): string {
  return [txHash, token === NATIVE_COIN ? NATIVE_POSITION : position, token, to, amount].join(' ').toLowerCase();
}
