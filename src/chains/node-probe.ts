import { type AddressFamily, addressFamilyOf, type Network } from '../domain/network.js';
import { JsonRpc } from './rpc/json-rpc.js';
import type { RpcTransportOptions } from './rpc/rpc-transport.js';
import { TronHttp } from './tron/tron-http.js';

type Probe = (url: string, options: RpcTransportOptions) => Promise<void>;

const PROBES: Readonly<Record<AddressFamily, Probe>> = {
  evm: jsonRpcProbe('eth_chainId'),
  solana: jsonRpcProbe('getGenesisHash'),
  tron: async (url, options) => {
    const http = new TronHttp(url, options);
    try {
      for (const side of ['wallet', 'walletsolidity'] as const) await http.ask(side, 'getblock', { detail: false });
    } finally {
      await http.close();
    }
  },
};

function jsonRpcProbe(method: string): Probe {
  return async (url, options) => {
    const node = new JsonRpc(url, options);
    try {
      await node.call(method, []);
    } finally {
      await node.close();
    }
  };
}

/**
 * Asks a node something that every node of its network answers. Resolves when it does.
 * @throws ChainUnavailable, which names the node by scheme, host and port
 */
export async function probeNode(network: Network, url: string, options: RpcTransportOptions): Promise<void> {
  await PROBES[addressFamilyOf(network)](url, options);
}
