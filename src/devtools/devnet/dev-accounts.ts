import { HDNodeWallet, Mnemonic } from 'ethers';
import type { EvmNetwork } from '../../domain/network.js';
import { DEV_ACCOUNT_INDEX, DEV_MNEMONIC, type DevRole } from './dev-mnemonic.js';
import { devNetworkPlan } from './dev-networks.js';
import { evmKey } from '../../domain/evm-address.js';

/** An account of a development chain, with a published key and worthless coins. */
export interface DevAccount {
  /** Lower case. */
  readonly address: string;
  /** 0x-prefixed. */
  readonly privateKey: string;
}

// Derived on first use, and kept: each takes several milliseconds of a start, and every chain asks for the same ones.
let root: HDNodeWallet | undefined;
const accounts = new Map<number, DevAccount>();

/** Returns the account of a role, the same on every development chain of this family. */
export function devAccount(role: DevRole): DevAccount {
  return accountAt(DEV_ACCOUNT_INDEX[role]);
}

/** Returns the account that deploys the tokens of a network, and nothing else: so a token has another address on each. */
export function devDeployer(network: EvmNetwork): DevAccount {
  return accountAt(devNetworkPlan(network).deployerIndex);
}

function accountAt(index: number): DevAccount {
  const known = accounts.get(index);
  if (known !== undefined) return known;
  root ??= HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(DEV_MNEMONIC), "m/44'/60'/0'/0");
  const { address, privateKey } = root.deriveChild(index);
  const account = { address: evmKey(address), privateKey };
  accounts.set(index, account);
  return account;
}
