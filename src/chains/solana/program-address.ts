import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './programs.js';

const BUMP_MAX = 255;
const MARK = Buffer.from('ProgramDerivedAddress');

/**
 * Returns the associated token account of a wallet for transactions that are built. Those are checked with
 * `associatedTokenAccount`, which is other code.
 */
export function builtTokenAccount(owner: string, mint: string): string {
  const seeds = [owner, TOKEN_PROGRAM, mint].map((key) => base58.decode(key));
  for (let bump = BUMP_MAX; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const part of [...seeds, Buffer.of(bump), base58.decode(ASSOCIATED_TOKEN_PROGRAM), MARK]) hash.update(part);
    const address = hash.digest();
    if (!isOnCurve(address)) return base58.encode(address);
  }
  throw new Error('There is no such token account.');
}

/** An address that is a point of the curve could have a private key. */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}
