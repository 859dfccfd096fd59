import type { AddressFamily, Network } from '../domain/network.js';
import type { SignedBytes, UnsignedTransaction } from '../chains/expiring-transaction.js';
import { deriveBatch, seedOf, type Derivation } from './derivation.js';
import {
  DEPOSIT_ACCOUNT,
  evmDerivation,
  evmPrivateKeys,
  HOT_WALLET_ACCOUNT,
  hotWalletIndexOf,
} from './evm/evm-derivation.js';
import { KeptKeys } from './kept-keys.js';
import {
  DEPOSIT_STEP,
  HOT_WALLET_STEP,
  SOLANA_HOT_WALLET_INDEX,
  solanaDerivation,
  solanaKey,
} from './solana/solana-derivation.js';
import { signMoves } from './solana/solana-signing.js';
import {
  TRON_DEPOSIT_ACCOUNT,
  TRON_HOT_WALLET_ACCOUNT,
  TRON_HOT_WALLET_INDEX,
  tronDerivation,
  tronPrivateKeys,
} from './tron/tron-derivation.js';
import { signTronTransaction } from './tron/tron-signing.js';
import type { DerivedAddress, ExpiringSigner } from './vault.js';

interface Purposes<Of> {
  readonly deposits: Of;
  readonly hotWallets: Of;
}

/** The keys of an environment. */
export interface EnvironmentKeys {
  readonly seed: Uint8Array;
  readonly addresses: Purposes<Readonly<Record<AddressFamily, Derivation>>>;
  /** Those of solana are never kept: Node's own library zeroes them. */
  readonly keys: Readonly<Record<'evm' | 'tron', Purposes<KeptKeys>>>;
}

/** Returns the keys that an entropy leads to, which is zeroed. */
export function environmentKeys(entropy: Buffer): EnvironmentKeys {
  const seed = seedOf(entropy);
  entropy.fill(0);
  const kept = (
    keysOf: typeof evmPrivateKeys,
    accounts: { readonly deposits: number; readonly hotWallets: number },
  ): Purposes<KeptKeys> => ({
    deposits: new KeptKeys((indexes) => keysOf(seed, accounts.deposits, indexes)),
    hotWallets: new KeptKeys((indexes) => keysOf(seed, accounts.hotWallets, indexes)),
  });
  return {
    seed,
    addresses: {
      deposits: {
        evm: evmDerivation(seed, DEPOSIT_ACCOUNT),
        solana: solanaDerivation(seed, DEPOSIT_STEP),
        tron: tronDerivation(seed, TRON_DEPOSIT_ACCOUNT),
      },
      hotWallets: {
        evm: evmDerivation(seed, HOT_WALLET_ACCOUNT),
        solana: solanaDerivation(seed, HOT_WALLET_STEP),
        tron: tronDerivation(seed, TRON_HOT_WALLET_ACCOUNT),
      },
    },
    keys: {
      evm: kept(evmPrivateKeys, { deposits: DEPOSIT_ACCOUNT, hotWallets: HOT_WALLET_ACCOUNT }),
      tron: kept(tronPrivateKeys, { deposits: TRON_DEPOSIT_ACCOUNT, hotWallets: TRON_HOT_WALLET_ACCOUNT }),
    },
  };
}

/** Zeroes every key. */
export function wipe({ seed, keys }: EnvironmentKeys): void {
  seed.fill(0);
  for (const { deposits, hotWallets } of Object.values(keys)) {
    deposits.wipe();
    hotWallets.wipe();
  }
}

/** Returns the hot wallet of a network. */
export function hotWalletOf({ addresses }: EnvironmentKeys, network: Network): readonly DerivedAddress[] {
  const { evm, solana, tron } = addresses.hotWallets;
  if (network === 'solana') return deriveBatch(solana, SOLANA_HOT_WALLET_INDEX, 1);
  if (network === 'tron') return deriveBatch(tron, TRON_HOT_WALLET_INDEX, 1);
  return deriveBatch(evm, hotWalletIndexOf(network), 1);
}

/**
 * Signs a transaction that expires with the keys of these addresses.
 * @throws TypeError unless they are exactly those that it needs
 */
export function signExpiring(
  { seed, keys: { tron } }: EnvironmentKeys,
  signers: readonly ExpiringSigner[],
  unsigned: UnsignedTransaction,
): SignedBytes {
  if (unsigned.family === 'solana') {
    const keys = signers.map((signer) =>
      signer.kind === 'hot_wallet'
        ? solanaKey(seed, SOLANA_HOT_WALLET_INDEX, HOT_WALLET_STEP)
        : solanaKey(seed, signer.index, DEPOSIT_STEP),
    );
    return signMoves(keys, unsigned);
  }
  const keys = signers.map((signer) =>
    signer.kind === 'hot_wallet' ? tron.hotWallets.at(TRON_HOT_WALLET_INDEX) : tron.deposits.at(signer.index),
  );
  return signTronTransaction(keys, unsigned);
}
