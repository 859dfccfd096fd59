import {
  address,
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type Signature,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { SolanaDevChain } from './solana-dev-chain.js';
import type { SolanaValidity } from './transaction-fate.js';

const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** A payment in a test token, or in the chain's own coin. */
export interface SolanaTestTransfer {
  readonly to: string;
  /** Symbol of a token of the chain; null = the chain's own coin. */
  readonly token: string | null;
  /** Smallest units. */
  readonly amount: bigint;
  /** Makes equal transfers on one blockhash different transactions, and is shown by explorers. */
  readonly memo: string;
  readonly from: SolanaDevChain['sandboxPayer'];
}

/** The chain of a transfer. */
type TransferChain = Pick<SolanaDevChain, 'rpcUrl' | 'tokens'>;

/** A signed transfer: the same bytes can be sent repeatedly and move the funds once. */
export interface SignedSolanaTransfer {
  readonly txHash: Signature;
  readonly raw: Base64EncodedWireTransaction;
  readonly sender: string;
  readonly validity: SolanaValidity;
}

/** Signs a transfer without sending it, for callers that store the bytes first. The sender pays for the token account. */
export async function signSolanaTransfer(
  chain: TransferChain,
  transfer: SolanaTestTransfer,
): Promise<SignedSolanaTransfer> {
  const payer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(transfer.from.privateKey));
  const rpc = createSolanaRpc(chain.rpcUrl);
  const { value: lifetime, context } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const instructions = [memoOf(transfer), ...(await movesOf(chain, payer, transfer))];
  const signed = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
  return {
    txHash: getSignatureFromTransaction(signed),
    raw: getBase64EncodedWireTransaction(signed),
    sender: payer.address,
    validity: {
      slot: Number(context.slot),
      blockhash: lifetime.blockhash,
      lastHeight: Number(lifetime.lastValidBlockHeight),
    },
  };
}

function memoOf({ memo }: SolanaTestTransfer): Instruction {
  return { programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(memo) };
}

async function movesOf(
  chain: TransferChain,
  payer: KeyPairSigner,
  { to, token: symbol, amount }: SolanaTestTransfer,
): Promise<readonly Instruction[]> {
  const owner = address(to);
  if (symbol === null) return [getTransferSolInstruction({ source: payer, destination: owner, amount })];
  const token = chain.tokens[symbol];
  if (token === undefined) throw new Error(`The solana development chain has no ${symbol}.`);
  const mint = address(token.address);
  const [source] = await findAssociatedTokenPda({ owner: payer.address, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const [destination] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const { decimals } = token;
  return [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner, mint }),
    getTransferCheckedInstruction({ source, mint, destination, authority: payer, amount, decimals }),
  ];
}
