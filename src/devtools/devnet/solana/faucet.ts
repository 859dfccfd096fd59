import type { AccountKey } from './account-key.js';
import type { SolanaChain } from './chain.js';
import { devMint } from './genesis.js';
import { signedTransaction, type BuiltInstruction } from './message-builder.js';
import { associatedTokenAccount } from './program-address.js';
import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from './programs.js';
import { invalidParams } from './rpc-error.js';
import { devSigner, SOLANA_ROLES } from './solana-dev-accounts.js';
import { readTokenAccount } from './token-layout.js';
import type { WireTransaction } from './wire-transaction.js';

const TRANSFER = 2;
const MINT_TO = 7;
const FREEZE = 10;
const THAW = 11;
const CREATE_IDEMPOTENT = 1;
const SET_UNIT_LIMIT = 2;
const UNITS = 200_000;

/** Equal transfers on one blockhash would be one transaction, so each has its own limit of compute units. */
let transfers = 0;

/** Sends coins of the faucet. */
export function coinTransfer(chain: SolanaChain, to: AccountKey, lamports: bigint): WireTransaction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(TRANSFER);
  data.writeBigUInt64LE(lamports, 4);
  const accounts = [writable(faucet().key), writable(to)];
  return signedByFaucet(chain, [{ program: SYSTEM_PROGRAM, accounts, data }]);
}

/** Mints tokens to the token account that wallets use for this owner, which is created if it is missing. */
export function tokenGrant(chain: SolanaChain, owner: AccountKey, symbol: string, amount: bigint): WireTransaction {
  const { mint, program } = devMint(symbol);
  const account = associatedTokenAccount(owner, mint, program);
  const data = Buffer.alloc(9);
  data.writeUInt8(MINT_TO);
  data.writeBigUInt64LE(amount, 1);
  return signedByFaucet(chain, [
    {
      program: ASSOCIATED_TOKEN_PROGRAM,
      accounts: [writable(faucet().key), writable(account), ...[owner, mint, SYSTEM_PROGRAM, program].map(readonly)],
      data: Buffer.from([CREATE_IDEMPOTENT]),
    },
    { program, accounts: [writable(mint), writable(account), readonly(faucet().key)], data },
  ]);
}

/** Freezes or thaws a token account of one of the test tokens. @throws RpcError -32602 when it is none */
export function freezeChange(chain: SolanaChain, account: AccountKey, isFrozen: boolean): WireTransaction {
  const stored = chain.state.account(account);
  const token = stored === null ? null : readTokenAccount(stored.data);
  if (stored === null || token === null) throw invalidParams('Invalid param: not a Token account');
  const accounts = [writable(account), readonly(token.mint), readonly(faucet().key)];
  const data = Buffer.from([isFrozen ? FREEZE : THAW]);
  return signedByFaucet(chain, [{ program: stored.owner, accounts, data }]);
}

function signedByFaucet(chain: SolanaChain, instructions: readonly BuiltInstruction[]): WireTransaction {
  const data = Buffer.alloc(5);
  data.writeUInt8(SET_UNIT_LIMIT);
  data.writeUInt32LE(UNITS + (transfers % UNITS), 1);
  transfers += 1;
  const limit = { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
  return signedTransaction(faucet(), [limit, ...instructions], chain.ledger.hashOf(chain.ledger.head.slot));
}

const faucet = () => devSigner(SOLANA_ROLES.faucet);
const writable = (key: AccountKey) => ({ key, isWritable: true });
const readonly = (key: AccountKey) => ({ key, isWritable: false });
