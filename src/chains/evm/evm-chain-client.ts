import { NATIVE_COIN, type Network } from '../../domain/network.js';
import {
  ChainUnavailable,
  type BlockHeader,
  type BlockRef,
  type ChainClient,
  type ChainIdentity,
  type CoinBalances,
  type LoggedBlock,
  type Sighting,
} from '../chain.js';
import { JsonRpc, RpcRefusal, type JsonRpcOptions } from '../rpc/json-rpc.js';
import type { NetworkProfile } from '../networks.js';
import type { NodeFacts } from '../node-facts.js';
import type { OutgoingClient } from '../outgoing.js';
import { RpcGatherer } from '../rpc/rpc-gatherer.js';
import { EXECUTION_REVERTED } from '../rpc/rpc-limits.js';
import { BalanceReader } from './balance-reader.js';
import { hasTransfers, type OtherNodesSee, readBlockTransfers } from './block-transfers.js';
import { evmNodeFacts } from './evm-node-facts.js';
import { EvmOutgoing } from './evm-outgoing.js';
import { HeadWatcher } from './head-watcher.js';
import { readNativeTransfers } from './native-transfers.js';
import { readHash, readHeader, readQuantity, readRecord } from './rpc-values.js';

/** `decimals()`. */
const DECIMALS_SELECTOR = '0x313ce567';
const WORD = /^0x[0-9a-f]{64}$/i;
const DECIMALS_MAX = 255n;
const BALANCES_PER_STEP = 1_000;

export interface EvmChainClientOptions extends JsonRpcOptions {
  readonly profile: Pick<NetworkProfile, 'network' | 'finality'>;
  readonly rpcUrl: string;
  /** Websocket URL of the same node for new heads; without it there are no announcements. */
  readonly wsUrl?: string;
  /** Called when this node returns no logs and the block's bloom contradicts that. */
  readonly otherNodesSee?: OtherNodesSee;
}

/** Reads one EVM chain through one RPC URL, and pays on it. */
export class EvmChainClient implements ChainClient {
  readonly network: Network;
  readonly readsWholeBlocks = false;
  readonly keepsPastBalances = true;
  readonly balancesPerStep = BALANCES_PER_STEP;
  readonly outgoing: OutgoingClient;
  private readonly rpc: JsonRpc;
  /** Combines the calls for many blocks that are read at once. */
  private readonly gathered: RpcGatherer;
  private readonly balances: BalanceReader;

  constructor(private readonly options: EvmChainClientOptions) {
    this.network = options.profile.network;
    this.rpc = new JsonRpc(options.rpcUrl, options);
    this.gathered = new RpcGatherer(this.rpc);
    this.balances = new BalanceReader(this.rpc);
    this.outgoing = new EvmOutgoing(this.rpc);
  }

  async identity(): Promise<ChainIdentity> {
    const [chainId, genesis] = await this.rpc.batch([
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: ['0x0', false] },
    ]);
    return {
      chainId: readQuantity(chainId, 'chain id').toString(),
      genesisHash: readHash(readRecord(genesis, 'genesis block')['hash'], 'genesis hash'),
    };
  }

  async head(): Promise<BlockHeader> {
    return readHeader(await this.rpc.call('eth_getBlockByNumber', ['latest', false]));
  }

  async headerAt(height: number): Promise<BlockHeader | null> {
    const [header] = await this.headersAt([height]);
    return header ?? null;
  }

  async headersAt(heights: readonly number[]): Promise<readonly (BlockHeader | null)[]> {
    const answers = await this.rpc.batch(
      heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [`0x${height.toString(16)}`, false] })),
    );
    return answers.map((answer, index) => {
      if (answer === null) return null;
      const header = readHeader(answer);
      if (header.height === heights[index]) return header;
      throw new ChainUnavailable(`The node answered block ${heights[index]} with block ${header.height}.`);
    });
  }

  async finalizedHeight(head: BlockRef): Promise<number> {
    const answer = await this.rpc.call('eth_getBlockByNumber', ['finalized', false]);
    // Depth alone is not finality: a node without the tag is unusable, not a reason to credit sooner.
    if (answer === null) throw new ChainUnavailable('The node has no finalized block.');
    const deepEnough = head.height - this.options.profile.finality.minDepth;
    return Math.max(0, Math.min(readHeader(answer).height, deepEnough));
  }

  async sightingsIn(
    block: LoggedBlock,
    tokens: readonly string[],
    isOurs: (address: string) => boolean,
  ): Promise<readonly Sighting[]> {
    const contracts = tokens.filter((token) => token !== NATIVE_COIN);
    const [ofTokens, ofCoin] = await Promise.all([
      this.transfersIn(block, contracts, isOurs),
      contracts.length < tokens.length ? this.nativeTransfersIn(block, isOurs) : [],
    ]);
    return [...ofTokens, ...ofCoin];
  }

  async coinBalances(block: BlockRef, addresses: readonly string[]): Promise<CoinBalances> {
    return { asOf: block, units: await this.balancesAt(block, addresses) };
  }

  async transfersIn(
    block: LoggedBlock,
    tokens: readonly string[],
    isOurs: (address: string) => boolean,
  ): Promise<readonly Sighting[]> {
    return readBlockTransfers(this.gathered, { block, tokens, isOurs, otherNodesSee: this.options.otherNodesSee });
  }

  async hasTransfers(block: BlockRef, tokens: readonly string[]): Promise<boolean> {
    return hasTransfers(this.rpc, { block, tokens });
  }

  async nativeTransfersIn(block: BlockRef, isOurs: (address: string) => boolean): Promise<readonly Sighting[]> {
    return readNativeTransfers(this.rpc, block, isOurs);
  }

  async balancesAt(block: BlockRef, addresses: readonly string[]): Promise<readonly bigint[]> {
    return this.balances.read(block, addresses);
  }

  get balancesPerRequest(): number {
    return this.balances.addressesPerRequest;
  }

  async decimalsOf(token: string): Promise<number | null> {
    const answer = await this.callDecimals(token);
    // A call to an address without code returns no data.
    if (typeof answer !== 'string' || !WORD.test(answer)) return null;
    const decimals = BigInt(answer);
    return decimals <= DECIMALS_MAX ? Number(decimals) : null;
  }

  facts(): Promise<NodeFacts> {
    return evmNodeFacts(this.rpc, this.outgoing);
  }

  watchHeads(onHead: () => void): { close(): void } {
    const { wsUrl } = this.options;
    return wsUrl === undefined ? { close: () => undefined } : new HeadWatcher(wsUrl, onHead);
  }

  async close(): Promise<void> {
    await this.rpc.close();
  }

  /** Returns the contract's answer, or null when it reverts. */
  private async callDecimals(token: string): Promise<unknown> {
    try {
      const answer = await this.rpc.call('eth_call', [{ to: token, data: DECIMALS_SELECTOR }, 'latest']);
      // No answer of the node does not mean a contract without decimals, which would disable the token.
      if (typeof answer !== 'string') throw new ChainUnavailable('The node returned no result for a call.');
      return answer;
    } catch (error) {
      if (error instanceof RpcRefusal && error.code === EXECUTION_REVERTED) return null;
      throw error;
    }
  }
}
