import type { HDKey } from '@scure/bip32';
import { Signature } from 'ethers/crypto';
import { hashAuthorization } from 'ethers/hash';
import { computeAddress, recoverAddress, Transaction } from 'ethers/transaction';
import { getBytes, hexlify } from 'ethers/utils';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import { privateNode } from '../derivation.js';
import type {
  EvmAuthorization,
  SignedEvmAuthorization,
  SignedEvmTransaction,
  UnsignedEvmTransaction,
} from './evm-transaction.js';
import type { DelegationTerms, DepositAuthority } from '../vault.js';

/**
 * Signs with the key at `path`. The same arguments always give the same bytes (RFC 6979), with the lower `s`. The key
 * is never a string, which could not be wiped: so the signature is not made by ethers.
 */
export function signEvm(seed: Uint8Array, path: string, transaction: UnsignedEvmTransaction): SignedEvmTransaction {
  const { authorizations, chainId, ...fields } = transaction;
  const built = Transaction.from({ ...fields, chainId, to: transaction.to.toLowerCase(), type: 2 });
  if (authorizations !== undefined) {
    built.type = 4;
    built.authorizationList = authorizations.map(({ delegate, nonce, yParity, r, s }) => ({
      ...authorizationOf(chainId, { delegate, nonce }),
      signature: Signature.from({ yParity, r, s }),
    }));
  }
  built.signature = signDigest(privateNode(seed, path), getBytes(built.unsignedHash));
  const { serialized: raw, hash } = built;
  if (hash === null) throw new Error('A signed transaction has a hash.');
  return { raw, hash };
}

/**
 * Signs authorizations with the keys below the node at `parentPath`, which is derived once for all of them.
 * @throws RangeError for chain id 0: it would hold on every chain.
 */
export function signAuthorizations(
  seed: Uint8Array,
  parentPath: string,
  { chainId, delegate }: DelegationTerms,
  deposits: readonly DepositAuthority[],
): SignedEvmAuthorization[] {
  if (chainId <= 0n) throw new RangeError('An authorization names its chain.');
  const parent = privateNode(seed, parentPath);
  try {
    return deposits.map(({ index, nonce }) => {
      const digest = hashAuthorization(authorizationOf(chainId, { delegate, nonce }));
      const { yParity, r, s } = signDigest(parent.deriveChild(index), getBytes(digest));
      return { delegate, nonce, yParity, r, s };
    });
  } finally {
    parent.wipePrivateData();
  }
}

function authorizationOf(
  chainId: bigint,
  { delegate, nonce }: EvmAuthorization,
): { address: string; chainId: bigint; nonce: bigint } {
  return { address: checksumEvmAddress(delegate.toLowerCase()), chainId, nonce: BigInt(nonce) };
}

/** Wipes the key. */
function signDigest(key: HDKey, digest: Uint8Array): Signature {
  try {
    const bytes = key.sign(digest);
    const [r, s] = [hexlify(bytes.subarray(0, 32)), hexlify(bytes.subarray(32))];
    const address = computeAddress(hexlify(key.publicKey ?? new Uint8Array()));
    // Which of two keys a signature belongs to is one more bit, which this form leaves out: only one leads back to us.
    const candidates = ([0, 1] as const).map((yParity) => Signature.from({ r, s, yParity }));
    const signature = candidates.find((candidate) => recoverAddress(digest, candidate) === address);
    if (!signature) throw new Error('The signature does not lead back to its key.');
    return signature;
  } finally {
    key.wipePrivateData();
  }
}
