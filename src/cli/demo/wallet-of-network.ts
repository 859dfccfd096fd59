import { isEvmNetwork, type Network } from '../../domain/network.js';
import type { DemoChain, DemoWallet } from './demo-wallet.js';

/** Returns the wallet for a chain of this network. The library of each family is loaded only where it is used. */
export async function walletOf(network: Network, chain: DemoChain): Promise<DemoWallet> {
  if (isEvmNetwork(network)) return new (await import('./evm-demo-wallet.js')).EvmDemoWallet(chain);
  if (network === 'tron') return new (await import('./tron-demo-wallet.js')).TronDemoWallet(chain);
  return new (await import('./solana-demo-wallet.js')).SolanaDemoWallet(chain);
}
