import { NATIVE_COIN } from '../domain/network.js';
import { type BlockHeader, type ChainClient, NATIVE_POSITION, type Sighting } from './chain.js';
import type { TransactionReceipt } from './outgoing.js';

/** A transfer that was final, with the block that held it. */
export interface FinalTransfer extends Omit<Sighting, 'from'> {
  /** Under which the answer is given. */
  readonly id: string;
  readonly blockHeight: number;
  readonly blockHash: string;
}

/** What a node tells of a transfer by its final blocks: `unknown` when it does not see far enough to say. */
export type Presence = 'there' | 'gone' | 'unknown';

/**
 * Whether the node's chain holds transfers, by their ids. One whose transaction was put into another block is there once
 * that is final, if the transaction still makes it: it may have been reverted there. It is gone when a final block holds
 * the transaction without it; or when the node calls another block final in its block's place, and no block of its chain
 * holds the transaction.
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
    // A node may still show the receipt of a transaction that a reorg took back.
    if (receipt === null || holder?.hash !== receipt.blockHash) {
      presences.set(transfer.id, isReplaced(transfer, headerAt, final) ? 'gone' : 'unknown');
    } else if (holder.height > final) presences.set(transfer.id, 'unknown');
    else presences.set(transfer.id, (await moved.isIn(holder, transfer)) ? 'there' : 'gone');
  }
  return presences;
}

const heightsOf = (receipts: readonly (TransactionReceipt | null)[]): number[] =>
  receipts.flatMap((receipt) => receipt?.height ?? []);

/** The node's chain at these heights; a block that it does not hold is left out. */
async function headersAt(client: ChainClient, heights: readonly number[]): Promise<ReadonlyMap<number, BlockHeader>> {
  const headers = await client.headersAt([...new Set(heights)]);
  return new Map(headers.flatMap((header) => (header === null ? [] : [[header.height, header]])));
}

function isReplaced(
  { blockHeight, blockHash }: FinalTransfer,
  headerAt: ReadonlyMap<number, BlockHeader>,
  final: number,
): boolean {
  const standing = headerAt.get(blockHeight);
  return standing !== undefined && standing.hash !== blockHash && blockHeight <= final;
}

/** What blocks that took transactions over hold of our transfers, each block read once. */
class MovedTransfers {
  private readonly recipients: ReadonlySet<string>;
  private readonly read = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(
    private readonly client: ChainClient,
    private readonly transfers: readonly FinalTransfer[],
  ) {
    this.recipients = new Set(transfers.map(({ to }) => to.toLowerCase()));
  }

  async isIn(block: BlockHeader, transfer: FinalTransfer): Promise<boolean> {
    // The hash of a block stands for all that it holds.
    if (block.hash === transfer.blockHash) return true;
    const kind = transfer.position === NATIVE_POSITION ? 'coins' : 'tokens';
    const key = `${kind} ${block.hash}`;
    const held = this.read.get(key) ?? this.heldBy(block, kind);
    this.read.set(key, held);
    return (await held).has(keyOf(transfer));
  }

  private async heldBy(block: BlockHeader, kind: 'coins' | 'tokens'): Promise<ReadonlySet<string>> {
    const isOurs = (address: string): boolean => this.recipients.has(address.toLowerCase());
    if (kind === 'coins') return keysOf(await this.client.nativeTransfersIn(block, isOurs));
    const tokens = new Set(this.transfers.map(({ token }) => token).filter((token) => token !== NATIVE_COIN));
    return keysOf(await this.client.transfersIn(block, [...tokens], isOurs));
  }
}

const keysOf = (sightings: readonly Sighting[]): ReadonlySet<string> => new Set(sightings.map(keyOf));

/** What makes it that very transfer. */
function keyOf({ txHash, position, token, to, amount }: Omit<Sighting, 'from'>): string {
  return [txHash, position, token, to, amount].join(' ').toLowerCase();
}
