import { address, isAddress, isOffCurveAddress } from '@solana/addresses';
import { type ParsedDestination, refusedForm } from '../../domain/destination.js';
import type { Network } from '../../domain/network.js';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './programs.js';

/** Programs and accounts of the runtime, and the mint of wrapped coins: their names are filled up with ones. */
const RESERVED = /1{10}2?$/;
/** Programs that many wallets and explorers show, so that their addresses get copied by mistake. */
const PROGRAMS: ReadonlySet<string> = new Set([
  TOKEN_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  // Token-2022, the memo programs, and the metadata of tokens.
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
]);

/**
 * Returns an address of solana that can receive a payment, as far as its text says: a wallet with a key. Addresses have no
 * checksum, so a typo is found only where it leaves no valid key, which half of all typos do.
 */
export function solanaDestination(network: Network, text: string): ParsedDestination {
  if (!isAddress(text)) return refusedForm(network, text);
  if (RESERVED.test(text) || PROGRAMS.has(text)) {
    return { refusal: 'The destination is a program or a system account of solana: it is no wallet.' };
  }
  if (isOffCurveAddress(address(text))) {
    return {
      refusal:
        'The destination has no private key: it is a token account, or the vault of a program. State the address of a wallet.',
    };
  }
  return { shown: text, key: text };
}
