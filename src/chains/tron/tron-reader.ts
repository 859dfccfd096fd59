import { NATIVE_COIN, type Network } from '../../domain/network.js';
import {
  type BlockClient,
  type BlockHeader,
  type BlockRef,
  type ChainIdentity,
  ChainUnavailable,
  type CoinBalances,
  type Sighting,
} from '../chain.js';
import type { NetworkProfile } from '../networks.js';
import type { NodeFacts } from '../node-facts.js';
import { isRecord } from '../rpc/json-rpc.js';
import type { RpcTransportOptions } from '../rpc/rpc-transport.js';
import { headerIn, isEmpty } from './block-header.js';
import { type ReadBlock, sightingsIn } from './block-transfers.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { constantCall } from './constant-call.js';
import { SolidBalances } from './solid-balances.js';
import { tronNodeFacts } from './tron-node-facts.js';
import { TronHttp, type TronInterface } from './tron-http.js';
import { listedTokens } from './transfer-log.js';

/** The answers about a block take some megabytes. */
const BLOCKS_AT_ONCE = 6;
/** Addresses of the round over all that one turn reads, every ten seconds, where no limit of the node is known. */
const TURN_ADDRESSES = 5;
/** Newest blocks of which the hash is remembered: a final block is usually among them. */
const REMEMBERED_BLOCKS = 100;
const DECIMALS_MAX = 255n;

export interface TronClientOptions extends RpcTransportOptions {
  readonly profile: Pick<NetworkProfile, 'network' | 'tokens'>;
  readonly rpcUrl: string;
}

/**
 * Reads Tron through one node. Payments are seen in blocks of `/wallet`, whose headers link by parent hash: micro forks drop
 * some of them. A block is final when `/walletsolidity` has it, whatever the distance between the two.
 */
export class TronReader implements BlockClient {
  readonly network: Network;
  readonly readsWholeBlocks = true;
  readonly keepsPastBalances = false;
  protected readonly http: TronHttp;
  private readonly balances: SolidBalances;
  private readonly blocks = new ConcurrencyLimit(BLOCKS_AT_ONCE);
  /** Hashes of blocks of `/wallet`, by height. */
  private readonly remembered = new Map<number, string>();
  private readonly turnAddresses: number;

  /** Keys of the contracts of its tokens. */
  protected readonly tokens: readonly string[];

  constructor({ profile, rpcUrl, ...transport }: TronClientOptions) {
    this.network = profile.network;
    this.tokens = profile.tokens.map(({ contract }) => contract).filter((contract) => contract !== NATIVE_COIN);
    this.http = new TronHttp(rpcUrl, transport);
    // A fifth of what the node allows until the next turn.
    this.turnAddresses = transport.rate === undefined ? TURN_ADDRESSES : Math.max(1, 2 * transport.rate.perSecond);
    this.balances = new SolidBalances(this.http, () => this.headOf('walletsolidity'));
  }

  async identity(): Promise<ChainIdentity> {
    const [full, solid] = await Promise.all([this.genesisOf('wallet'), this.genesisOf('walletsolidity')]);
    if (full !== solid) throw new ChainUnavailable(`The node serves ${full} and, as final, ${solid}.`);
    return { chainId: full, genesisHash: full };
  }

  async head(): Promise<BlockHeader> {
    return this.remember(await this.headOf('wallet'));
  }

  async headerAt(height: number): Promise<BlockHeader | null> {
    const answer = await this.http.ask('wallet', 'getblock', { id_or_num: String(height), detail: false });
    if (isEmpty(answer)) return null;
    const header = headerIn(answer);
    if (header.height === height) return this.remember(header);
    throw new ChainUnavailable(`The node answered block ${height} with block ${header.height}.`);
  }

  async headersAt(heights: readonly number[]): Promise<readonly (BlockHeader | null)[]> {
    return Promise.all(heights.map((height) => this.headerAt(height)));
  }

  async finalizedHeight(head: BlockRef): Promise<number> {
    const solid = await this.headOf('walletsolidity');
    if (solid.height > head.height) return head.height;
    // Behind one address there may be two nodes, on two forks.
    if (this.remembered.get(solid.height) === solid.hash) return solid.height;
    const same = await this.headerAt(solid.height);
    if (same?.hash === solid.hash) return solid.height;
    throw new ChainUnavailable(`The node's final block ${solid.hash} is not on its chain.`);
  }

  async sightingsIn(
    block: BlockRef,
    tokens: readonly string[],
    isOurs: (address: string) => boolean,
  ): Promise<readonly Sighting[]> {
    const listed = listedTokens(tokens.filter((token) => token !== NATIVE_COIN));
    const native = tokens.includes(NATIVE_COIN);
    return this.blocks.run(async () => sightingsIn(await this.readBlock(block), { tokens: listed, native, isOurs }));
  }

  async coinBalances(_block: BlockRef, addresses: readonly string[]): Promise<CoinBalances> {
    return this.balances.read(addresses);
  }

  get balancesPerRequest(): number {
    return Math.min(this.turnAddresses, this.balances.addressesAtOnce);
  }

  get balancesPerStep(): number {
    return this.balances.addressesAtOnce;
  }

  async decimalsOf(token: string): Promise<number | null> {
    const outcome = await constantCall(this.http, 'wallet', { contract: token, selector: 'decimals()', words: [] });
    if (outcome.kind === 'no_contract') return null;
    if (outcome.kind === 'refused') throw new ChainUnavailable(`The node made no call: ${outcome.code}.`);
    const decimals = outcome.kind === 'returned' ? outcome.word : null;
    return decimals !== null && decimals <= DECIMALS_MAX ? Number(decimals) : null;
  }

  facts(): Promise<NodeFacts> {
    return tronNodeFacts(this.http, this, this.tokens);
  }

  watchHeads(): { close(): void } {
    return { close: () => undefined };
  }

  async close(): Promise<void> {
    await this.http.close();
  }

  /**
   * Reads exactly this block with its infos. Infos are asked for by height alone: they are of this block when it is on the
   * chain before, as the reader has seen, and after.
   */
  private async readBlock({ height, hash }: BlockRef): Promise<ReadBlock> {
    const infos = await this.http.ask('wallet', 'gettransactioninfobyblocknum', { num: height });
    const block = await this.http.ask('wallet', 'getblockbynum', { num: height });
    if (isEmpty(block)) throw new ChainUnavailable(`The node has no block ${height}.`);
    const header = headerIn(block);
    if (header.hash !== hash) throw new ChainUnavailable(`The node answered block ${hash} with ${header.hash}.`);
    const transactions = listIn(isRecord(block) ? (block['transactions'] ?? []) : null, 'transactions');
    // Some versions answer `{}` for a block without transactions.
    return { header, transactions, infos: isEmpty(infos) ? [] : listIn(infos, 'infos') };
  }

  private remember(header: BlockHeader): BlockHeader {
    const { remembered } = this;
    remembered.delete(header.height);
    remembered.set(header.height, header.hash);
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED_BLOCKS && oldest !== undefined) remembered.delete(oldest);
    return header;
  }

  protected async headOf(of: TronInterface): Promise<BlockHeader> {
    return headerIn(await this.http.ask(of, 'getblock', { detail: false }));
  }

  private async genesisOf(of: TronInterface): Promise<string> {
    const { height, hash } = headerIn(await this.http.ask(of, 'getblock', { id_or_num: '0', detail: false }));
    if (height !== 0) throw new ChainUnavailable(`The node answered block 0 with block ${height}.`);
    return hash;
  }
}

function listIn(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ChainUnavailable(`The node returned no list of ${what}.`);
  return value;
}
