import { SigningKey } from 'ethers/crypto';
import { computeAddress } from 'ethers/transaction';
import { EVM_CATALOGUE } from '../../domain/evm-catalogue.js';
import type { EvmNetwork } from '../../domain/network.js';
import { type Derivation, privateKeys, privateNode, publicParent } from '../derivation.js';
import { evmKey } from '../../domain/evm-address.js';

/** BIP-44 accounts. Deposit addresses and hot wallets use different ones. */
export const DEPOSIT_ACCOUNT = 0;
export const HOT_WALLET_ACCOUNT = 1;

/** Returns the address index of a network's hot wallet. */
export const hotWalletIndexOf = (network: EvmNetwork): number => EVM_CATALOGUE[network].hotWalletIndex;

/** The path every EVM wallet uses (BIP-44, coin 60). */
function evmPath(account: number, index: number): string {
  return `${evmParentPath(account)}/${index}`;
}

/**
 * Addresses of the EVM networks in one account. Keeps `seed` by reference; the caller zeroes it in the end.
 */
export function evmDerivation(seed: Uint8Array, account: number): Derivation {
  const parent = publicParent(seed, evmParentPath(account));
  return {
    derive(index) {
      const { publicKey } = parent.deriveChild(index);
      const address = computeAddress(hex(publicKey));
      return { index, path: evmPath(account, index), address, addressKey: evmKey(address) };
    },
    rederive(index) {
      const child = privateNode(seed, evmPath(account, index));
      const privateKey = child.privateKey ?? new Uint8Array();
      // As bytes, which can be wiped: as a string the key would stay in memory.
      const publicKey = SigningKey.computePublicKey(privateKey);
      privateKey.fill(0);
      child.wipePrivateData();
      return computeAddress(publicKey);
    },
  };
}

/** Returns the private keys at these indexes of an account, as `privateKeys` does. */
export function evmPrivateKeys(seed: Uint8Array, account: number, indexes: readonly number[]): readonly Uint8Array[] {
  return privateKeys(seed, evmParentPath(account), indexes);
}

/** The path of the parent node of all addresses of an account. */
function evmParentPath(account: number): string {
  return `m/44'/60'/${account}'/0`;
}

function hex(key: Uint8Array | null): string {
  if (!key) throw new Error('The derived node has no such key.');
  return `0x${Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('hex')}`;
}
