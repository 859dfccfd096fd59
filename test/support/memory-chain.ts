import {
  type BlockHeader,
  type BlockRef,
  type ChainClient,
  type ChainIdentity,
  type CoinBalances,
  ChainUnavailable,
  NATIVE_POSITION,
  type Sighting,
} from '../../src/chains/chain.js';
import type { NodeFacts } from '../../src/chains/node-facts.js';
import type { OutgoingClient } from '../../src/chains/outgoing.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import { randomHex } from './random-values.js';

/** A transaction that moves the coin; mined again after a reorg, it keeps its hash. */
export interface CoinTransaction {
  readonly txHash: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** The transfers of a block: transactions of the coin, and coins that contracts passed on without one. */
export interface Mined {
  readonly transactions?: readonly CoinTransaction[];
  readonly inside?: readonly { readonly to: string; readonly amount: bigint }[];
}

interface Block {
  readonly header: BlockHeader;
  readonly mined: Mined;
  readonly balances: ReadonlyMap<string, bigint>;
}

export function aCoinTransaction(to: string, amount: bigint): CoinTransaction {
  return { txHash: randomHex(32), from: randomHex(20), to, amount };
}

const refuse = (): Promise<never> => Promise.reject(new ChainUnavailable('This chain is only read.'));

/**
 * A chain in memory, with balances, forks and a node that may lag: for specs that read thousands of blocks. It keeps only
 * canonical blocks, like a node that has dropped the others.
 */
export class MemoryChain implements ChainClient {
  readonly network = 'polygon';
  readonly readsWholeBlocks = false;
  readonly keepsPastBalances = true;
  readonly balancesPerRequest = 1_000;
  readonly balancesPerStep = 1_000;
  readonly outgoing: OutgoingClient = {
    feeHistory: refuse,
    broadcast: refuse,
    broadcastAll: refuse,
    isKnown: refuse,
    areKnown: refuse,
    transaction: refuse,
    receiptsOf: refuse,
    nonceAt: refuse,
    pendingNonce: refuse,
    tokenBalancesAt: refuse,
    isFrozenByIssuer: refuse,
    codesAt: refuse,
    simulate: refuse,
    holdingsAt: refuse,
  };
  /** Number of the newest blocks that the node does not have yet. */
  lag = 0;
  /** The amount that the node leaves out of every balance it reports; below zero it reports more than there is. */
  keepsBack = 0n;
  /** The node answers every balance request for its newest block, also of one it does not show yet. */
  tellsNewest = false;
  private blocks: Block[];

  /** Begins on a block that is recorded already; `depth` blocks are required on top of a final one. */
  constructor(
    start: BlockRef,
    private readonly depth: number,
  ) {
    this.blocks = [
      { header: { ...start, parentHash: randomHex(32), time: new Date() }, mined: {}, balances: new Map() },
    ];
  }

  get height(): number {
    return this.top.header.height;
  }

  /** Newest block that no reorg may take back. */
  get finalized(): number {
    return Math.max(this.bottom, this.height - this.depth);
  }

  mine(mined: Mined = {}): void {
    const { header, balances } = this.top;
    const after = new Map(balances);
    for (const { to, amount } of [...(mined.transactions ?? []), ...(mined.inside ?? [])]) {
      after.set(to, (after.get(to) ?? 0n) + amount);
    }
    const next = { height: header.height + 1, hash: randomHex(32), parentHash: header.hash, time: new Date() };
    this.blocks.push({ header: next, mined, balances: after });
  }

  /** Removes the newest blocks and returns their transfers, oldest first. */
  takeBack(depth: number): readonly Mined[] {
    return this.blocks.splice(this.blocks.length - depth).map((block) => block.mined);
  }

  /** The balance of an address after the block of this hash. */
  balanceOf(address: string, hash = this.top.header.hash): bigint {
    return this.block({ hash }).balances.get(address) ?? 0n;
  }

  holds(hash: string): boolean {
    return this.blocks.some(({ header }) => header.hash === hash);
  }

  async head(): Promise<BlockHeader> {
    return this.at(this.height - this.lag)?.header ?? this.first.header;
  }

  async headerAt(height: number): Promise<BlockHeader | null> {
    return height > this.height - this.lag ? null : (this.at(height)?.header ?? null);
  }

  async facts(): Promise<NodeFacts> {
    return { version: null, abilities: [] };
  }

  async headersAt(heights: readonly number[]): Promise<readonly (BlockHeader | null)[]> {
    return Promise.all(heights.map((height) => this.headerAt(height)));
  }

  async finalizedHeight(head: BlockRef): Promise<number> {
    return Math.max(this.bottom, head.height - this.depth);
  }

  async sightingsIn(
    block: BlockRef,
    tokens: readonly string[],
    isOurs: (address: string) => boolean,
  ): Promise<readonly Sighting[]> {
    const ofTokens = await this.transfersIn(block, tokens);
    return tokens.includes(NATIVE_COIN) ? [...ofTokens, ...(await this.nativeTransfersIn(block, isOurs))] : ofTokens;
  }

  async coinBalances(block: BlockRef, addresses: readonly string[]): Promise<CoinBalances> {
    return { asOf: block, units: await this.balancesAt(block, addresses) };
  }

  async transfersIn(_block: BlockRef, _tokens: readonly string[]): Promise<readonly Sighting[]> {
    return [];
  }

  async hasTransfers(): Promise<boolean> {
    return false;
  }

  async nativeTransfersIn(block: BlockRef, isOurs: (address: string) => boolean): Promise<readonly Sighting[]> {
    return (this.block(block).mined.transactions ?? [])
      .filter(({ to }) => isOurs(to))
      .map((transaction) => ({ ...transaction, position: NATIVE_POSITION, token: NATIVE_COIN }));
  }

  async balancesAt(block: BlockRef, addresses: readonly string[]): Promise<readonly bigint[]> {
    const { hash } = this.tellsNewest ? this.top.header : block;
    return addresses.map((address) => this.balanceOf(address, hash) - this.keepsBack);
  }

  async identity(): Promise<ChainIdentity> {
    return { chainId: '31337', genesisHash: this.first.header.hash };
  }

  async decimalsOf(): Promise<number | null> {
    return null;
  }

  watchHeads(): { close(): void } {
    return { close: () => undefined };
  }

  async close(): Promise<void> {
    this.blocks = [];
  }

  private get first(): Block {
    const [first] = this.blocks;
    if (first === undefined) throw new ChainUnavailable('The node is closed.');
    return first;
  }

  private get top(): Block {
    return this.blocks.at(-1) ?? this.first;
  }

  private get bottom(): number {
    return this.first.header.height;
  }

  private at(height: number): Block | undefined {
    return this.blocks[height - this.bottom];
  }

  private block({ hash }: { readonly hash: string }): Block {
    const found = this.blocks.find(({ header }) => header.hash === hash);
    if (found === undefined) throw new ChainUnavailable(`The node has no block ${hash}.`);
    return found;
  }
}
