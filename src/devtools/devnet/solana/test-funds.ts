import { z } from 'zod';
import { askChain } from '../dev-rpc.js';
import { addressOf, type AccountKey } from './account-key.js';
import { devMint, LAMPORTS_OF_ROLE, TOKENS_OF_ROLE } from './genesis.js';
import { associatedTokenAccount } from './program-address.js';
import { SolanaControls } from './solana-controls.js';
import { devSigner, SOLANA_ROLES } from './solana-dev-accounts.js';

const LAMPORTS = z.object({ value: z.number() });
const TOKENS = z.object({ value: z.object({ amount: z.string().transform(BigInt) }) });
const CONFIRMED = { commitment: 'confirmed' };

/**
 * Ensures that the payer has enough coins, and faucet and payer enough of the tokens: as much as at the genesis, again when
 * half is left. The coins come from the faucet, which cannot make any.
 */
export async function provideTestFunds(url: string, symbols: readonly string[]): Promise<void> {
  const controls = new SolanaControls(url);
  const payer = devSigner(SOLANA_ROLES.sandboxPayer).key;
  const coins = await testLamports(url, addressOf(payer));
  if (coins < LAMPORTS_OF_ROLE / 2n) {
    await controls.fund({ owner: addressOf(payer), token: null, amount: LAMPORTS_OF_ROLE - coins });
  }
  for (const symbol of symbols) {
    for (const key of [devSigner(SOLANA_ROLES.faucet).key, payer]) {
      if ((await testTokens(url, key, symbol)) > TOKENS_OF_ROLE / 2n) continue;
      await controls.fund({ owner: addressOf(key), token: symbol, amount: TOKENS_OF_ROLE });
    }
  }
}

/** Returns the lamports of an address. */
export async function testLamports(url: string, address: string): Promise<bigint> {
  return BigInt((await askChain(url, LAMPORTS, 'getBalance', address, CONFIRMED)).value);
}

/** The role's account exists since the genesis. */
async function testTokens(url: string, owner: AccountKey, symbol: string): Promise<bigint> {
  const { mint, program } = devMint(symbol);
  const account = addressOf(associatedTokenAccount(owner, mint, program));
  return (await askChain(url, TOKENS, 'getTokenAccountBalance', account, CONFIRMED)).value.amount;
}
