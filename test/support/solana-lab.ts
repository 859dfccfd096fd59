import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  pipe,
  appendTransactionMessageInstructions,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLoadedAccountsDataSizeLimit,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Blockhash,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { base58 } from '@scure/base';
import { z } from 'zod';
import { devSigner, SOLANA_ROLES } from '../../src/devtools/devnet/solana/solana-dev-accounts.js';
import { SolanaControls } from '../../src/devtools/devnet/solana/solana-controls.js';
import {
  runSolanaChain,
  type SolanaProcess,
  type SolanaProcessOptions,
} from '../../src/devtools/devnet/solana/solana-process.js';

const ANSWER = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

export type RpcAnswer = z.infer<typeof ANSWER>;

/** How far blocks are behind in these chains; `settle` makes more of them. */
export const LAB_FINALITY = { confirmed: 1, finalized: 3 };

const UNITS_MAX = 200_000;
const DATA_MAX = 2_000_000;

type BlockhashLifetime = Readonly<{ blockhash: Blockhash; lastValidBlockHeight: bigint }>;

/** A signed transaction. */
export interface SignedBytes {
  readonly signature: string;
  readonly base64: string;
}

export interface SigningOptions {
  readonly version?: 'legacy' | 0 | 1;
  readonly lifetime?: BlockhashLifetime;
  readonly payer?: KeyPairSigner;
}

/** A Solana development chain in a process of its own, which makes blocks only when a test asks for them. */
export class SolanaLab {
  /** What the chain has logged. */
  readonly logged: string[] = [];
  chain!: SolanaProcess;
  controls!: SolanaControls;
  faucet!: KeyPairSigner;

  private constructor(readonly dir: string) {}

  static async open(options: Partial<SolanaProcessOptions> = {}): Promise<SolanaLab> {
    const lab = new SolanaLab(await mkdtemp(join(tmpdir(), 'coffer-solana-')));
    await lab.start(options);
    await lab.controls.pause();
    lab.faucet = await createKeyPairSignerFromPrivateKeyBytes(devSigner(SOLANA_ROLES.faucet).secret);
    return lab;
  }

  /** Starts the chain, again after a stop or a kill. */
  async start(options: Partial<SolanaProcessOptions> = {}): Promise<SolanaProcess> {
    const log = (line: string): void => void this.logged.push(line);
    this.chain = await runSolanaChain({ dir: this.dir, preferredPort: 0, log, finality: LAB_FINALITY, ...options });
    this.controls = new SolanaControls(this.chain.url);
    return this.chain;
  }

  async close(): Promise<void> {
    await this.chain.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  get rpc() {
    return createSolanaRpc(this.chain.url);
  }

  /** Calls a method and returns the answer as it is. */
  async ask(method: string, ...params: readonly unknown[]): Promise<RpcAnswer> {
    const response = await fetch(this.chain.url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return ANSWER.parse(await response.json());
  }

  /** Calls a method and returns its result by a schema. */
  async result<T>(schema: z.ZodType<T>, method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.ask(method, ...params);
    if (error !== undefined) throw new Error(`${method}: ${error.message} (${error.code})`);
    return schema.parse(result);
  }

  /** Returns the lifetime of the newest block. */
  async lifetime(): Promise<BlockhashLifetime> {
    return (await this.rpc.getLatestBlockhash({ commitment: 'processed' }).send()).value;
  }

  /** Signs instructions with all of their signers. */
  async sign(instructions: readonly Instruction[], options: SigningOptions = {}): Promise<SignedBytes> {
    const { version = 0, payer = this.faucet } = options;
    const lifetime = options.lifetime ?? (await this.lifetime());
    const message = pipe(
      createTransactionMessage({ version }),
      (one) => setTransactionMessageFeePayerSigner(payer, one),
      (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
      (one) => appendTransactionMessageInstructions(instructions, one),
    );
    // Version 1 has no default limits.
    const limited =
      version === 1
        ? setTransactionMessageLoadedAccountsDataSizeLimit(
            DATA_MAX,
            setTransactionMessageComputeUnitLimit(UNITS_MAX, message),
          )
        : message;
    return bytesOf(await signTransactionMessageWithSigners(limited));
  }

  /** Signs a transfer of coins from the faucet. */
  async signTransfer(to: string, lamports: bigint, options: SigningOptions = {}): Promise<SignedBytes> {
    const source = options.payer ?? this.faucet;
    const transfer = getTransferSolInstruction({ source, destination: to as never, amount: lamports });
    return this.sign([transfer], options);
  }

  /** Sends a signed transaction with the preflight of the newest block. */
  async send({ base64 }: SignedBytes, config: object = {}): Promise<RpcAnswer> {
    return this.ask('sendTransaction', base64, { encoding: 'base64', preflightCommitment: 'processed', ...config });
  }

  /** Sends a signed transaction that the chain must accept, and makes a block with it. Returns its signature. */
  async land(signed: SignedBytes, config: object = {}): Promise<string> {
    const { result, error } = await this.send(signed, config);
    if (error !== undefined) throw new Error(`${error.message} ${JSON.stringify(error.data)}`);
    await this.controls.mine();
    return z.literal(signed.signature).parse(result);
  }

  /** Makes enough blocks that everything is final. */
  async settle(): Promise<void> {
    await this.controls.mine(LAB_FINALITY.finalized);
  }

  /** Creates an account with coins. */
  async newWallet(lamports = 1_000_000_000n): Promise<KeyPairSigner> {
    const wallet = await generateKeyPairSigner();
    if (lamports > 0n) await this.controls.fund({ owner: wallet.address, token: null, amount: lamports });
    await this.controls.mine();
    return wallet;
  }
}

/** Returns the wire form of a transaction that kit has signed. */
export function bytesOf(transaction: Parameters<typeof getBase64EncodedWireTransaction>[0]): SignedBytes {
  const base64 = getBase64EncodedWireTransaction(transaction);
  const [signature] = Object.values(transaction.signatures);
  if (signature === null || signature === undefined) throw new Error('The transaction is not signed.');
  return { base64, signature: signatureText(signature) };
}

const signatureText = (bytes: Uint8Array): string => base58.encode(bytes);
