import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesOf, hexOf, type AccountKey } from './account-key.js';
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.js';

const BUMP_MAX = 255;
const MARK = Buffer.from('ProgramDerivedAddress');

/** Returns the token account that wallets use for an owner and a mint. */
export function associatedTokenAccount(owner: AccountKey, mint: AccountKey, tokenProgram: AccountKey): AccountKey {
  const seeds = [owner, tokenProgram, mint].map(bytesOf);
  for (let bump = BUMP_MAX; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const part of [...seeds, Buffer.from([bump]), bytesOf(ASSOCIATED_TOKEN_PROGRAM), MARK]) hash.update(part);
    const address = hash.digest();
    if (!isOnCurve(address)) return hexOf(address);
  }
  throw new Error(`There is no token account of ${owner} for ${mint}.`);
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}
