import { createHash } from 'node:crypto';
import { address, getAddressEncoder, getProgramDerivedAddress, isOffCurveAddress } from '@solana/addresses';
import { base58 } from '@scure/base';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './programs.js';

const BUMP_MAX = 255;
const MARK = Buffer.from('ProgramDerivedAddress');

const encoder = getAddressEncoder();
const tokenProgram = encoder.encode(address(TOKEN_PROGRAM));
const programAddress = address(ASSOCIATED_TOKEN_PROGRAM);

/** Returns the associated token account of a wallet: where wallets send a token of this mint. */
export async function associatedTokenAccount(owner: string, mint: string): Promise<string> {
  const seeds = [encoder.encode(address(owner)), tokenProgram, encoder.encode(address(mint))];
  const [account] = await getProgramDerivedAddress({ programAddress, seeds });
  return account;
}

/** Does the same at once, for checks within one step. Many accounts together would block this thread. */
export function tokenAccountAtOnce(owner: string, mint: string): string {
  const seeds = Buffer.concat([owner, TOKEN_PROGRAM, mint].map((key) => base58.decode(key)));
  const end = Buffer.concat([base58.decode(ASSOCIATED_TOKEN_PROGRAM), MARK]);
  for (let bump = BUMP_MAX; bump >= 0; bump -= 1) {
    const digest = createHash('sha256')
      .update(Buffer.concat([seeds, Buffer.of(bump), end]))
      .digest();
    const account = address(base58.encode(digest));
    if (isOffCurveAddress(account)) return account;
  }
  throw new Error('There is no such token account.');
}
