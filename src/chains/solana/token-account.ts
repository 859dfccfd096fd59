import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/addresses';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './programs.js';

const encoder = getAddressEncoder();
const tokenProgram = encoder.encode(address(TOKEN_PROGRAM));
const programAddress = address(ASSOCIATED_TOKEN_PROGRAM);

/** Returns the associated token account of a wallet: where wallets send a token of this mint. */
export async function associatedTokenAccount(owner: string, mint: string): Promise<string> {
  const seeds = [encoder.encode(address(owner)), tokenProgram, encoder.encode(address(mint))];
  const [account] = await getProgramDerivedAddress({ programAddress, seeds });
  return account;
}
