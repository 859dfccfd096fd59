import { address, type Instruction, type KeyPairSigner } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';

/** A payment in USDC, by the faucet unless somebody else pays. */
export interface SolanaPayment {
  readonly to: string;
  readonly amount: bigint;
  readonly from?: KeyPairSigner;
}

/** Returns the instructions of a payment; whoever pays the fee also pays for the recipient's account. */
export async function paymentIn(
  mint: string,
  payer: KeyPairSigner,
  { to, amount, from = payer }: SolanaPayment,
): Promise<Instruction[]> {
  const token = address(mint);
  const accountOf = async (owner: string) =>
    (await findAssociatedTokenPda({ owner: address(owner), mint: token, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0];
  return [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner: address(to), mint: token }),
    getTransferCheckedInstruction({
      source: await accountOf(from.address),
      mint: token,
      destination: await accountOf(to),
      authority: from,
      amount,
      decimals: 6,
    }),
  ];
}
