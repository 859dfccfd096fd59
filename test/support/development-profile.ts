import { developmentProfile, type NetworkProfile } from '../../src/chains/networks.js';
import { SolanaControls } from '../../src/devtools/devnet/solana/solana-controls.js';
import { TronControls } from '../../src/devtools/devnet/tron/control/control-client.js';

/** The profile of the development chain at a URL, as the chain describes itself. */
export async function profileOfChain(network: 'solana' | 'tron', url: string): Promise<NetworkProfile> {
  if (network === 'tron') {
    const { genesisId: chainId, tokens: contracts } = await new TronControls(url).info();
    return developmentProfile({ network, chainId, contracts });
  }
  const { genesisHash: chainId, mints } = await new SolanaControls(url).info();
  return developmentProfile({ network, chainId, contracts: { USDC: mints['USDC'] ?? '', USDT: mints['USDT'] ?? '' } });
}
