import { HDNodeWallet, Mnemonic } from 'ethers';
import type { EvmNetwork } from '../../domain/network.js';
import { DEV_NETWORK_PLANS } from './dev-networks.js';
import { evmKey } from '../../domain/evm-address.js';

/**
 * The mnemonic of Ethereum tutorials, and anvil's default. Its keys are public: on a real network, funds sent to them are
 * stolen within seconds. Here that is an advantage, because they cannot be mistaken for secrets.
 */
export const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

/** An account of a development chain, with a published key and worthless coins. */
export interface DevAccount {
  /** Lower case. */
  readonly address: string;
  /** 0x-prefixed. */
  readonly privateKey: string;
}

/**
 * Every role has its own account, so that roles do not share nonces: `faucet` belongs to the users of the chain and is
 * published in `sandbox.json`, `sandboxPayer` to the service's pay helper, `minter` owns the test tokens, `rival` sends
 * competing transactions in tests. Each network has a deployer that only deploys, so that a token has another address on
 * each network, as on real chains.
 */
const ACCOUNT_INDEX = { faucet: 0, sandboxPayer: 1, minter: 2, rival: 3 } as const;

export type DevRole = keyof typeof ACCOUNT_INDEX;

// Derived on first use: the key stretching of the mnemonic takes a few milliseconds.
let root: HDNodeWallet | undefined;

/** Returns the account of a role, the same on every development chain. */
export function devAccount(role: DevRole): DevAccount {
  return accountAt(ACCOUNT_INDEX[role]);
}

/** Returns the account that deploys the tokens of a network. */
export function devDeployer(network: EvmNetwork): DevAccount {
  return accountAt(DEV_NETWORK_PLANS[network].deployerIndex);
}

function accountAt(index: number): DevAccount {
  root ??= HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(DEV_MNEMONIC), "m/44'/60'/0'/0");
  const { address, privateKey } = root.deriveChild(index);
  return { address: evmKey(address), privateKey };
}
