import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { pointFromScalar } from 'tiny-secp256k1';
import { DEV_ACCOUNT_INDEX, DEV_MNEMONIC, type DevRole } from '../dev-mnemonic.js';
import { addressOfPublicKey, base58Of } from './address.js';

/** An account of the development chain, with a published key and worthless coins. */
export interface TronDevAccount {
  /** As it is shown, `T...`. */
  readonly address: string;
  /** Hex. */
  readonly privateKey: string;
}

// Derived on first use: the key stretching of the mnemonic takes a few milliseconds.
let parent: HDKey | undefined;

/** Returns the account of a role, at the path of TronLink and Trust Wallet. */
export function tronDevAccount(role: DevRole): TronDevAccount {
  parent ??= HDKey.fromMasterSeed(mnemonicToSeedSync(DEV_MNEMONIC)).derive("m/44'/195'/0'/0");
  const { privateKey } = parent.deriveChild(DEV_ACCOUNT_INDEX[role]);
  const point = privateKey === null ? null : pointFromScalar(privateKey, false);
  if (privateKey === null || point === null) throw new Error(`The account of ${role} has no key.`);
  return { address: base58Of(addressOfPublicKey(point)), privateKey: Buffer.from(privateKey).toString('hex') };
}
