import type { NodeClient } from '../../chains/chain.js';
import { readQuantity } from '../../chains/evm/rpc-values.js';
import { JsonRpc } from '../../chains/rpc/json-rpc.js';
import { SolanaClient } from '../../chains/solana/solana-client.js';
import { TronClient } from '../../chains/tron/tron-client.js';
import type { CallFormat } from '../../devtools/chaos/call-format.js';
import type { Fault } from '../../devtools/chaos/fault.js';
import { FAULTS } from '../../devtools/chaos/faults.js';
import { JSON_RPC } from '../../devtools/chaos/json-rpc-format.js';
import { SOLANA_FAULTS } from '../../devtools/chaos/solana-faults.js';
import { TRON_FAULTS } from '../../devtools/chaos/tron-faults.js';
import { TRON_HTTP } from '../../devtools/chaos/tron-format.js';

const TARGET_TIMEOUT_MS = 10_000;

/** How a family's nodes are asked, and how they misbehave. */
export interface ChaosFamily {
  readonly format: CallFormat;
  readonly faults: readonly Fault[];
  /** Returns the chain id of a node, or its genesis. @throws ChainUnavailable */
  readonly chainId: (target: string) => Promise<string>;
}

/** The families by their names. */
export const CHAOS_FAMILIES = {
  evm: { format: JSON_RPC, faults: FAULTS, chainId: evmChainId },
  solana: { format: JSON_RPC, faults: SOLANA_FAULTS, chainId: solanaChainId },
  tron: { format: TRON_HTTP, faults: TRON_FAULTS, chainId: tronChainId },
} as const satisfies Readonly<Record<string, ChaosFamily>>;

async function evmChainId(target: string): Promise<string> {
  const rpc = new JsonRpc(target, { timeoutMs: TARGET_TIMEOUT_MS });
  try {
    return readQuantity(await rpc.call('eth_chainId', []), 'chain id').toString();
  } finally {
    await rpc.close();
  }
}

async function solanaChainId(target: string): Promise<string> {
  return genesisOf(new SolanaClient({ profile: { network: 'solana' }, rpcUrl: target, timeoutMs: TARGET_TIMEOUT_MS }));
}

async function tronChainId(target: string): Promise<string> {
  return genesisOf(
    new TronClient({ profile: { network: 'tron', tokens: [] }, rpcUrl: target, timeoutMs: TARGET_TIMEOUT_MS }),
  );
}

async function genesisOf(client: NodeClient): Promise<string> {
  try {
    return (await client.identity()).chainId;
  } finally {
    await client.close();
  }
}
