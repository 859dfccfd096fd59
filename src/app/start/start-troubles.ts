import { probeNode } from '../../chains/node-probe.js';
import type { Config, RpcSetting } from '../../platform/config.js';
import type { VaultState } from '../../vault-status/vault-state.service.js';
import type { Trouble } from './attention.js';

const NODE_ANSWERS_WITHIN_MS = 5_000;

/** Returns the problems after the start: a sealed vault, and nodes that do not answer within 5 s. */
export async function troublesAtStart(config: Config, vault: VaultState): Promise<readonly Trouble[]> {
  const readsChains = config.roles.has('listener') || config.roles.has('worker');
  return [...sealedVault(vault), ...(readsChains ? await unreachableNodes(config.rpc) : [])];
}

function sealedVault({ sealedBecause }: VaultState): Trouble[] {
  if (sealedBecause === null) return [];
  return [
    {
      what: `THE VAULT IS SEALED. ${sealedBecause}`,
      advice: [
        'No new addresses are derived and no withdrawals are signed until it is open.',
        'Set VAULT_PASSPHRASE, or restore vault.json from your backup, and start again.',
        '"npx coffer vault status" shows whether the file exists and opens.',
      ],
    },
  ];
}

/** Returns one problem for each RPC URL whose node does not answer. */
async function unreachableNodes(rpc: readonly RpcSetting[]): Promise<Trouble[]> {
  const asked = rpc.flatMap((setting) => setting.urls.map((url) => unreachableNode(setting, url)));
  return (await Promise.all(asked)).filter((trouble) => trouble !== null);
}

async function unreachableNode({ environment, network }: RpcSetting, url: string): Promise<Trouble | null> {
  try {
    await probeNode(network, url, { timeoutMs: NODE_ANSWERS_WITHIN_MS });
    return null;
  } catch (error) {
    const variable = `${environment}_${network}_rpc_url`.toUpperCase();
    return {
      // The message of the error names the node by scheme, host and port only.
      what: `A node of ${network} (${variable}) cannot be reached. ${error instanceof Error ? error.message : ''}`,
      advice: ['Check the URL and its key. Payments are detected once a node of the network answers.'],
    };
  }
}
