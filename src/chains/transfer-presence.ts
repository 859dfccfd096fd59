import { NATIVE_COIN } from '../domain/network.js';
import { type BlockHeader, type ChainClient, NATIVE_POSITION, type Sighting } from './chain.js';
import type { TransactionReceipt } from './outgoing.js';

/** A transfer that was final, with its block. */
export interface FinalTransfer extends Omit<Sighting, 'from'> {
  /** The key of the answer. */
  readonly id: string;
  readonly blockHeight: number;
  readonly blockHash: string;
}

/** The state of a transfer by a node's final blocks: `unknown` when the node does not see enough of the chain. */
export type Presence = 'there' | 'gone' | 'unknown';

/**
 * Returns the presence of transfers on the node's chain, by their ids. When a transaction moved to another block, its
 * transfer is there once that block is final, unless the transaction was reverted there. A transfer is gone when a final
 * block has the transaction without it, or when another block is final at its height and no block has the transaction.
 */
export async function presenceOf(
  client: ChainClient,
  transfers: readonly FinalTransfer[],
): Promise<ReadonlyMap<string, Presence>> {
  const final = await client.finalizedHeight(await client.head());
  const receipts = await client.outgoing.receiptsOf(transfers.map(({ txHash }) => txHash));
  const heights = [...transfers.map(({ blockHeight }) => blockHeight), ...heightsOf(receipts)];
  const headerAt = await headersAt(client, heights);
  const moved = new MovedTransfers(client, transfers);
  const presences = new Map<string, Presence>();
  for (const [place, transfer] of transfers.entries()) {
    const receipt = receipts[place] ?? null;
    const holder = receipt === null ? undefined : headerAt.get(receipt.height);
    // A node may still show the receipt of a transaction that a reorg removed.
    if (receipt === null || holder?.hash !== receipt.blockHash) {
      presences.set(transfer.id, isReplaced(transfer, headerAt, final) ? 'gone' : 'unknown');
    } else if (holder.height > final) presences.set(transfer.id, 'unknown');
    else presences.set(transfer.id, (await moved.isIn(holder, transfer)) ? 'there' : 'gone');
  }
  return presences;
}

const heightsOf = (receipts: readonly (TransactionReceipt | null)[]): number[] =>
  receipts.flatMap((receipt) => receipt?.height ?? []);

/** Returns the node's headers at these heights, without those that it does not have. */
async function headersAt(client: ChainClient, heights: readonly number[]): Promise<ReadonlyMap<number, BlockHeader>> {
  const headers = await client.headersAt([...new Set(heights)]);
  return new Map(headers.flatMap((header) => (header === null ? [] : [[header.height, header]])));
}

function isReplaced(
  { blockHeight, blockHash }: FinalTransfer,
  headerAt: ReadonlyMap<number, BlockHeader>,
  final: number,
): boolean {
  const current = headerAt.get(blockHeight);
  return current !== undefined && current.hash !== blockHash && blockHeight <= final;
}

/** Reads our transfers in the blocks that transactions moved to, each block once. */
class MovedTransfers {
  private readonly recipients: ReadonlySet<string>;
  private readonly read = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(
    private readonly client: ChainClient,
    private readonly transfers: readonly FinalTransfer[],
  ) {
    this.recipients = new Set(transfers.map(({ to }) => to));
  }

  async isIn(block: BlockHeader, transfer: FinalTransfer): Promise<boolean> {
    // The hash of a block covers its content.
    if (block.hash === transfer.blockHash) return true;
    const kind = transfer.position === NATIVE_POSITION ? 'coins' : 'tokens';
    const key = `${kind} ${block.hash}`;
    const held = this.read.get(key) ?? this.heldBy(block, kind);
    this.read.set(key, held);
    return (await held).has(keyOf(transfer));
  }

  private async heldBy(block: BlockHeader, kind: 'coins' | 'tokens'): Promise<ReadonlySet<string>> {
    const isOurs = (address: string): boolean => this.recipients.has(address);
    if (kind === 'coins') return keysOf(await this.client.nativeTransfersIn(block, isOurs));
    const tokens = new Set(this.transfers.map(({ token }) => token).filter((token) => token !== NATIVE_COIN));
    return keysOf(await this.client.transfersIn(block, [...tokens], isOurs));
  }
}

const keysOf = (sightings: readonly Sighting[]): ReadonlySet<string> => new Set(sightings.map(keyOf));

/** Returns the identity of a transfer. */
function keyOf({ txHash, position, token, to, amount }: Omit<Sighting, 'from'>): string {
  return [txHash, position, token, to, amount].join(' ');
}
