import { addressOf, base58Of, hexOf, type AccountKey } from './account-key.js';
import { DEV_MNEMONIC } from '../dev-mnemonic.js';
import { publicKeyOf } from './signatures.js';
import { derivedSecret, seedOfMnemonic } from './slip10.js';

/** The accounts of the published mnemonic by role, as on the EVM development chains. */
export const SOLANA_ROLES = { faucet: 0, sandboxPayer: 1, rival: 3 } as const;

/** A key of the published mnemonic. */
export interface DevSigner {
  readonly key: AccountKey;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

// Derived on first use: the key stretching of the mnemonic takes a few milliseconds.
let seed: Uint8Array | undefined;
const signers = new Map<number, DevSigner>();

/** Returns the account with this index, the same on every development chain. */
export function devSigner(index: number): DevSigner {
  seed ??= seedOfMnemonic(DEV_MNEMONIC);
  const known = signers.get(index);
  if (known !== undefined) return known;
  const secret = derivedSecret(seed, index);
  const signer = { key: hexOf(publicKeyOf(secret)), secret };
  signers.set(index, signer);
  return signer;
}

/** An account as Solana's wallets show it. */
export interface SolanaDevAccount {
  /** Base58. */
  readonly address: string;
  /** Secret and public key, 64 bytes in base58, as wallets export it. */
  readonly privateKey: string;
}

/** Returns the account of a role, the same on every development chain. */
export function solanaDevAccount(role: keyof typeof SOLANA_ROLES): SolanaDevAccount {
  const { key, secret } = devSigner(SOLANA_ROLES[role]);
  return { address: addressOf(key), privateKey: base58Of(hexOf(secret) + key) };
}
