import { z } from 'zod';
import { networkProfile } from '../../src/chains/networks.js';
import { devAccount } from '../../src/devtools/devnet/dev-accounts.js';
import type { EvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import { DevChainControls } from './dev-chain-controls.js';
import type { Environment } from '../../src/domain/network.js';
import { AnvilNode } from './anvil-node.js';
import { ProbeContract } from './probe-contracts.js';

const MINED_AT_FIRST = 20;
const GAS_MONEY = '0x8ac7230489e80000';

/**
 * A local chain that simulates BNB's test network: its chain id, and USDC at the address of the catalogue. A service reads
 * it like the real one, by an RPC URL, without websocket, with a payment final 15 blocks below the head. Blocks come only
 * with transactions and from `controls.mine`.
 */
export interface BnbTestnet {
  readonly url: string;
  readonly node: AnvilNode;
  readonly controls: DevChainControls;
  stop(): Promise<void>;
}

/** Blocks on top that make a payment final there. */
export const BNB_FINALITY = 15;

/** For live it simulates BNB's main network in the same way. */
export async function startBnbTestnet(environment: Environment = 'sandbox'): Promise<BnbTestnet> {
  const profile = networkProfile(environment, 'bnb');
  const usdc = profile?.tokens.find(({ symbol }) => symbol === 'USDC');
  if (profile === null || usdc === undefined) throw new Error("BNB's test network offers no USDC.");
  const node = await AnvilNode.start({ chainId: Number(profile.chainId) });
  const probe = await ProbeContract.deploy(node, 'ProbeToken', usdc.decimals);
  const code = await node.ask(z.string(), 'eth_getCode', probe.address, 'latest');
  await node.send('anvil_setCode', usdc.contract, code);
  await node.send('anvil_setBalance', devAccount('rival').address, GAS_MONEY);
  // State that was set by hand enters the next block. It is mined here, so that no reorg of a spec can undo it.
  await node.mine(MINED_AT_FIRST);
  const { hash } = await node.ask(z.object({ hash: z.string() }), 'eth_getBlockByNumber', '0x0', false);
  const chain: EvmDevChain = {
    network: 'bnb',
    rpcUrl: node.url,
    wsUrl: node.wsUrl,
    chainId: Number(profile.chainId),
    genesisHash: hash,
    coin: { symbol: 'BNB', decimals: 18 },
    tokens: { USDC: { address: usdc.contract, decimals: usdc.decimals } },
    faucet: devAccount('faucet'),
    sandboxPayer: devAccount('sandboxPayer'),
    origin: 'new',
    pausedFor: (work) => work(),
    stop: () => node.stop(),
  };
  return { url: node.url, node, controls: new DevChainControls(chain), stop: () => node.stop() };
}
