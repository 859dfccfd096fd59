import type { ChainSource } from '../../src/chains/registry.js';
import { developmentProfile } from '../../src/chains/networks.js';
import { devAccount, devDeployer } from '../../src/devtools/devnet/dev-accounts.js';
import type { EvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import { provideTestTokens } from '../../src/devtools/devnet/test-token.js';
import type { EvmNetwork } from '../../src/domain/network.js';
import type { Database } from '../../src/platform/database/database.js';
import type { Runtime } from '../../src/platform/runtime.js';
import type { AnvilNode } from './anvil-node.js';
import { aChain, type SeededChain } from './factories.js';
import { FakeNode } from './fake-node.js';
import { hexOf } from './probe-contracts.js';
import { query } from './sql.js';

/** The chain id of every chain that `aChain` makes. */
const CHAIN_ID = 31_337;

/** Returns the runtime of a process that serves these chains, as far as the treasury uses it. */
export function runtimeServing(chains: readonly ChainSource[]): Runtime {
  return { databaseUrl: '', secretsKey: '', vault: null, chains, devChains: [], baseUrl: () => '' };
}

/** A chain of the books in the settings of a process. */
export function sourceOf(network: EvmNetwork, rpcUrl: string): ChainSource {
  return { profile: developmentProfile({ network, chainId: String(CHAIN_ID), contracts: {} }), rpcUrls: [rpcUrl] };
}

/** A chain of the books behind a node that answers its identity and gas prices honestly. */
export class ServedChain {
  /** The block of height 0. */
  genesis: string;
  baseFee = 10n ** 9n;
  tips: readonly (readonly [median: bigint, high: bigint])[] = [[2n * 10n ** 9n, 3n * 10n ** 9n]];

  private constructor(
    readonly chain: SeededChain,
    readonly network: EvmNetwork,
    readonly node: FakeNode,
    genesis: string,
  ) {
    this.genesis = genesis;
  }

  static async start(database: Database, network: EvmNetwork): Promise<ServedChain> {
    const chain = await aChain(database, { network });
    const node = await FakeNode.start();
    const served = new ServedChain(chain, network, node, await genesisOf(database, chain.chainRef));
    node.methods = {
      eth_chainId: () => hexOf(BigInt(CHAIN_ID)),
      eth_getBlockByNumber: () => ({ hash: served.genesis }),
      eth_feeHistory: () => ({
        baseFeePerGas: [...served.tips.map(() => '0x1'), hexOf(served.baseFee)],
        reward: served.tips.map((row) => row.map(hexOf)),
      }),
    };
    return served;
  }

  get source(): ChainSource {
    return sourceOf(this.network, this.node.url);
  }

  /** The number of calls to the node. */
  asked(method: string): number {
    return this.node.requests.flatMap(({ questions }) => questions).filter((question) => question.method === method)
      .length;
  }
}

export async function genesisOf(database: Database, chainRef: string): Promise<string> {
  const [row] = await query<{ genesis_hash: string }>(database, `select genesis_hash from chain where id = $1`, [
    chainRef,
  ]);
  return row?.genesis_hash ?? '';
}

/** Returns polygon's development chain as it is in the books, played by a node. */
export async function devChainOf(database: Database, { chainRef }: SeededChain, node: AnvilNode): Promise<EvmDevChain> {
  return {
    network: 'polygon',
    rpcUrl: node.url,
    wsUrl: node.wsUrl,
    chainId: CHAIN_ID,
    genesisHash: await genesisOf(database, chainRef),
    coin: { symbol: 'POL', decimals: 18 },
    tokens: {},
    faucet: devAccount('faucet'),
    sandboxPayer: devAccount('sandboxPayer'),
    origin: 'new',
    pausedFor: (work) => work(),
    stop: () => Promise.resolve(),
  };
}

/** Deploys test tokens with these decimals, of which the faucet owns plenty. Returns their contracts. */
export async function testTokensOn(node: AnvilNode, decimals: readonly number[]): Promise<readonly string[]> {
  await node.send('anvil_autoImpersonateAccount', true);
  for (const { address } of [devDeployer('bnb'), devAccount('minter')]) {
    await node.send('anvil_setBalance', address, hexOf(10n ** 20n));
  }
  const plans = decimals.map((digits, place) => ({
    contract: 'TestToken' as const,
    symbol: `T${place}`,
    name: 'Test',
    decimals: digits,
  }));
  return Object.values(await provideTestTokens(node.url, 'bnb', plans)).map(({ address }) => address);
}
