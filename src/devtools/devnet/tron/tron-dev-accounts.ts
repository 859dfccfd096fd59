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
  if (privateKey === null) throw new Error(`The account of ${role} has no key.`);
  return { address: tronAddressOf(privateKey), privateKey: Buffer.from(privateKey).toString('hex') };
}

/** Returns the address of a private key, as it is shown. @throws Error for bytes that are no key */
export function tronAddressOf(privateKey: Uint8Array): string {
  const point = pointFromScalar(privateKey, false);
  if (point === null) throw new Error('The bytes are no private key.');
  return base58Of(addressOfPublicKey(point));
}
