import { z } from 'zod';
import { NATIVE_COIN } from '../../../domain/network.js';
import { askChain } from '../dev-rpc.js';
import type { WalletShortage } from '../wallet-shortage.js';
import type { SolanaDevChain } from './solana-dev-chain.js';
import { testLamports } from './test-funds.js';

/** Fees for a long time: 10 SOL. */
const LAMPORTS = 10_000_000_000n;
/** Multiple of the missing amount that is given, so that the next payments need not wait. */
const SPARE = 100n;

const ACCOUNTS = z.object({
  value: z.array(
    z.object({
      account: z.object({
        data: z.object({
          parsed: z.object({
            info: z.object({ tokenAmount: z.object({ amount: z.string().transform(BigInt) }) }),
          }),
        }),
      }),
    }),
  ),
});

/** Gives a wallet what it lacks, out of nothing, unless it has that already. */
export async function fundSolanaWallet(
  chain: SolanaDevChain,
  { address: owner, token: mint, isTokenMissing, missing }: WalletShortage,
): Promise<void> {
  const { controls, rpcUrl, tokens } = chain;
  // A wallet without a token lacks the coins for its fees as well, as a rule.
  const wanted = LAMPORTS + (mint === NATIVE_COIN ? SPARE * missing : 0n);
  const lamports = await testLamports(rpcUrl, owner);
  if (lamports < wanted / 2n) await controls.fund({ owner, token: null, amount: wanted - lamports });
  if (!isTokenMissing) return;
  const symbol = Object.keys(tokens).find((name) => tokens[name]?.address === mint);
  if (symbol === undefined) throw new Error(`The solana development chain has no token ${mint}.`);
  if ((await tokensOf(rpcUrl, owner, mint)) < missing)
    await controls.fund({ owner, token: symbol, amount: SPARE * missing });
}

async function tokensOf(url: string, owner: string, mint: string): Promise<bigint> {
  const options = { commitment: 'confirmed', encoding: 'jsonParsed' };
  const { value } = await askChain(url, ACCOUNTS, 'getTokenAccountsByOwner', owner, { mint }, options);
  return value.reduce((sum, { account }) => sum + account.data.parsed.info.tokenAmount.amount, 0n);
}
