import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Signature } from 'ethers/crypto';
import { hashAuthorization } from 'ethers/hash';
import { Transaction } from 'ethers/transaction';
import { getBytes, hexlify } from 'ethers/utils';
import { checksumEvmAddress, evmKey } from '../../domain/evm-address.js';
import type {
  EvmAuthorization,
  SignedEvmAuthorization,
  SignedEvmTransaction,
  UnsignedEvmTransaction,
} from '../../chains/evm/evm-transaction.js';
import type { DelegationTerms } from '../vault.js';

/**
 * Signs with a private key. The same arguments always yield the same bytes (RFC 6979), with the lower `s`. The key is
 * never a string, which could not be wiped, so ethers does not make the signature.
 */
export function signEvm(key: Uint8Array, transaction: UnsignedEvmTransaction): SignedEvmTransaction {
  const { authorizations, chainId, ...fields } = transaction;
  const built = Transaction.from({ ...fields, chainId, to: evmKey(transaction.to), type: 2 });
  if (authorizations !== undefined) {
    built.type = 4;
    built.authorizationList = authorizations.map(({ delegate, nonce, yParity, r, s }) => ({
      ...authorizationOf(chainId, { delegate, nonce }),
      signature: Signature.from({ yParity, r, s }),
    }));
  }
  built.signature = signDigest(key, getBytes(built.unsignedHash));
  const { serialized: raw, hash } = built;
  if (hash === null) throw new Error('A signed transaction has a hash.');
  return { raw, hash };
}

/**
 * Signs authorizations of addresses, each with its own private key and its own next nonce.
 * @throws RangeError for chain id 0, which would be valid on every chain.
 */
export function signAuthorizations(
  { chainId, delegate }: DelegationTerms,
  deposits: readonly { readonly key: Uint8Array; readonly nonce: number }[],
): SignedEvmAuthorization[] {
  if (chainId <= 0n) throw new RangeError('An authorization names its chain.');
  return deposits.map(({ key, nonce }) => {
    const digest = hashAuthorization(authorizationOf(chainId, { delegate, nonce }));
    const { yParity, r, s } = signDigest(key, getBytes(digest));
    return { delegate, nonce, yParity, r, s };
  });
}

function authorizationOf(
  chainId: bigint,
  { delegate, nonce }: EvmAuthorization,
): { address: string; chainId: bigint; nonce: bigint } {
  return { address: checksumEvmAddress(evmKey(delegate)), chainId, nonce: BigInt(nonce) };
}

/** The caller of the vault checks with other code that the signature belongs to the key. */
function signDigest(key: Uint8Array, digest: Uint8Array): Signature {
  const [yParity, ...bytes] = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
  if (yParity !== 0 && yParity !== 1) throw new Error('The signature has no y parity.');
  const rs = Uint8Array.from(bytes);
  return Signature.from({ yParity, r: hexlify(rs.subarray(0, 32)), s: hexlify(rs.subarray(32)) });
}
