import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { z } from 'zod';
import { readVectors } from './vectors.js';
import { seedOf } from '../../src/vault/derivation.js';

const file = z.object({
  source: z.string(),
  mnemonics: z.record(z.string(), z.string()),
  accounts: z.array(z.object({ mnemonic: z.string(), path: z.string(), address: z.string() })),
});

/** An address that several public tools derive from a public mnemonic. */
export interface DerivationVector {
  readonly mnemonic: string;
  readonly seed: Uint8Array;
  readonly path: string;
  readonly address: string;
}

/** The vectors of a family; the file says where they come from. */
export function derivationVectors(family: 'solana' | 'tron'): readonly DerivationVector[] {
  const { mnemonics, accounts } = readVectors(`${family}-derivation`, file);
  const seeds = new Map(
    Object.entries(mnemonics).map(([name, words]) => [name, seedOf(mnemonicToEntropy(words, wordlist))]),
  );
  return accounts.map((account) => ({ ...account, seed: seeds.get(account.mnemonic) ?? new Uint8Array() }));
}
