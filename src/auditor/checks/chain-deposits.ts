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
  /** Null for what only a balance showed; the balances speak for it. */
  readonly tx_hash: string | null;
  readonly position: number;
  /** False for what one node told of and no other one has, and for what the books let go: neither is booked. */
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

/** The first final deposit that its block does not hold, or transfer in such a block that is no deposit. */
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
    const gone = await firstReorged(client, block);
    if (gone === null) return null;
    return { row: `deposit ${gone.id}`, says: `is in block ${height} (${hash}), which the chain does not hold` };
  }
  const transfers = await client.transfersIn(header, tokens, isOurs);
  const hasCoins = deposits.some((deposit) => deposit.token_contract === NATIVE_COIN && deposit.tx_hash !== null);
  const coins = hasCoins ? await client.nativeTransfersIn(header, isOurs) : [];
  const onChain = new Set([...transfers, ...coins].map(keyOfSighting));
  const lost = deposits.find(
    (deposit) => deposit.is_final && deposit.tx_hash !== null && !onChain.has(keyOfDeposit(deposit)),
  );
  if (lost !== undefined)
    return { row: `deposit ${lost.id}`, says: `moves ${lost.amount}, which block ${height} does not` };
  const stored = new Set(deposits.map(keyOfDeposit));
  const missed = transfers.find((transfer) => !stored.has(keyOfSighting(transfer)));
  if (missed === undefined) return null;
  return {
    row: `transfer ${missed.txHash}/${missed.position}`,
    says: `brought ${missed.amount} of ${missed.token} to ${missed.to} and is no deposit`,
  };
}

/** The first final deposit of a block that the chain does not hold, unless another block has taken over its transaction. */
async function firstReorged(client: ChainClient, block: BlockRow): Promise<DepositRow | null> {
  const final = block.deposits.filter((deposit) => deposit.is_final);
  const moved = final.flatMap((deposit) => finalTransferOf(deposit, block) ?? []);
  const presence = moved.length === 0 ? null : await presenceOf(client, moved);
  return final.find(({ id }) => presence?.get(id) !== 'there') ?? null;
}

/** Null for what only a balance showed. */
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
