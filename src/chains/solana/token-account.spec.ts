import { z } from 'zod';
import { readVectors } from '../../../test/support/vectors.js';
import { associatedTokenAccount } from './token-account.js';

const { accounts } = readVectors(
  'solana-token-accounts',
  z.object({ accounts: z.array(z.object({ owner: z.string(), mint: z.string(), ata: z.string() })).min(10) }),
);

it('a wallet has one account of each token, whose address everybody can compute', async () => {
  for (const { owner, mint, ata } of accounts) expect(await associatedTokenAccount(owner, mint)).toBe(ata);
});
