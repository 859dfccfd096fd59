import { HDNodeWallet, Mnemonic } from 'ethers';
import type { EvmNetwork } from '../../domain/network.js';

/**
 * The mnemonic of every Ethereum tutorial, and anvil's own default. Its keys are public: on a real network whatever is
 * sent to them is gone within seconds. Here that is a virtue, since nobody can mistake them for secrets.
 */
export const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

/** An account of a development chain: its key is published, its coins are worthless. */
export interface DevAccount {
  /** Lower case. */
  readonly address: string;
  /** 0x-prefixed. */
  readonly privateKey: string;
}

/**
 * Every role has an account of its own, so that none uses up another one's nonces: `faucet` belongs to whoever uses the
 * chain and is published in `sandbox.json`, `sandboxPayer` to the service's pay helper, `minter` owns the test tokens,
 * `rival` sends what a test puts beside the transaction it is about. The deployers send nothing but deployments, one per
 * network, so that a token has another address on each network, as in the real world.
 */
const ACCOUNT_INDEX = { faucet: 0, sandboxPayer: 1, minter: 2, rival: 3 } as const;
const DEPLOYER_INDEX: Readonly<Record<EvmNetwork, number>> = { bnb: 7, polygon: 8, ethereum: 9 };

export type DevRole = keyof typeof ACCOUNT_INDEX;

// Derived on first use: the key stretching of the mnemonic takes a few milliseconds.
let root: HDNodeWallet | undefined;

/** The account of a role; the same on every development chain. */
export function devAccount(role: DevRole): DevAccount {
  return accountAt(ACCOUNT_INDEX[role]);
}

/** The account that deploys the tokens of a network. */
export function devDeployer(network: EvmNetwork): DevAccount {
  return accountAt(DEPLOYER_INDEX[network]);
}

function accountAt(index: number): DevAccount {
  root ??= HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(DEV_MNEMONIC), "m/44'/60'/0'/0");
  const { address, privateKey } = root.deriveChild(index);
  return { address: address.toLowerCase(), privateKey };
}
