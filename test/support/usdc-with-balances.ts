import { z } from 'zod';
import { networkProfile } from '../../src/chains/networks.js';
import { devAccount } from '../../src/devtools/devnet/dev-accounts.js';
import { mintTestTokens } from '../../src/devtools/devnet/test-token.js';
import type { BnbTestnet } from './bnb-testnet.js';
import { testTokensOn } from './served-chains.js';

/** The storage slot of the owner in OpenZeppelin's ERC20 with Ownable. */
const OWNER_SLOT = `0x${'5'.padStart(64, '0')}`;
const PLENTY = 10n ** 27n;

/**
 * Puts a token with balances at the address of USDC in the catalogue of BNB's test network: the probe that is there only
 * emits logs, which is enough to be paid, but not to pay out. The faucet owns plenty of it.
 */
export async function provideUsdcWithBalances({ node, url }: BnbTestnet): Promise<void> {
  const usdc = networkProfile('sandbox', 'bnb')?.tokens.find(({ symbol }) => symbol === 'USDC');
  if (usdc === undefined) throw new Error("BNB's test network offers no USDC.");
  const [token] = await testTokensOn(node, [usdc.decimals]);
  const code = await node.ask(z.string(), 'eth_getCode', token, 'latest');
  const owner = `0x${devAccount('minter').address.slice(2).toLowerCase().padStart(64, '0')}`;
  await node.send('anvil_setCode', usdc.contract, code);
  await node.send('anvil_setStorageAt', usdc.contract, OWNER_SLOT, owner);
  await mintTestTokens(url, usdc.contract, devAccount('faucet').address, PLENTY);
}
