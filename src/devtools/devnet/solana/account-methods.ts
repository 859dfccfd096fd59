import { z } from 'zod';
import { accountAnswer, ACCOUNT_CONFIG } from './account-answer.js';
import { addressOf, type AccountKey } from './account-key.js';
import type { StoredAccount } from './account-versions.js';
import type { Block } from './block-ledger.js';
import { inContext, type Methods, type SolanaNode } from './node.js';
import { TOKEN_PROGRAMS } from './programs.js';
import { invalidParams } from './rpc-error.js';
import { ADDRESS, CONTEXT, parseParams, SLOT } from './rpc-params.js';
import { uiTokenAmount } from './token-amount.js';
import { readMint, readTokenAccount, type Mint, type TokenAccount } from './token-layout.js';

/** Agave `MAX_MULTIPLE_ACCOUNTS`. */
const ACCOUNTS_MAX = 100;
/** Agave `MAX_PERMITTED_DATA_LENGTH`. */
const DATA_BYTES_MAX = 10 * 1024 * 1024;

const OWNER_FILTER = z.union([z.strictObject({ mint: ADDRESS }), z.strictObject({ programId: ADDRESS })]);

/** The calls that read accounts, each as of the block of its commitment. */
export function accountMethods(node: SolanaNode): Methods {
  const { state } = node.chain;
  const readAt = (bank: Block) => (key: AccountKey) => state.accountAfter(bank.slot, key);
  const answerAt = (bank: Block, account: StoredAccount | null, config: z.infer<typeof ACCOUNT_CONFIG>) =>
    account === null ? null : accountAnswer(account, config, readAt(bank));

  return {
    getAccountInfo: (params) => {
      const [key, config] = parseParams(z.tuple([ADDRESS, ACCOUNT_CONFIG.optional()]), params);
      const bank = node.bankOf(config);
      return inContext(bank, answerAt(bank, readAt(bank)(key), config));
    },
    getMultipleAccounts: (params) => {
      const [keys, config] = parseParams(z.tuple([z.array(ADDRESS), ACCOUNT_CONFIG.optional()]), params);
      if (keys.length > ACCOUNTS_MAX) throw invalidParams(`Too many inputs provided; max ${ACCOUNTS_MAX}`);
      const bank = node.bankOf(config);
      const base64 = { ...config, encoding: config?.encoding ?? ('base64' as const) };
      return inContext(
        bank,
        keys.map((key) => answerAt(bank, readAt(bank)(key), base64)),
      );
    },
    getBalance: (params) => {
      const [key, config] = parseParams(z.tuple([ADDRESS, CONTEXT.optional()]), params);
      const bank = node.bankOf(config);
      return inContext(bank, readAt(bank)(key)?.lamports ?? 0n);
    },
    getTokenAccountBalance: (params) => {
      const [key, config] = parseParams(z.tuple([ADDRESS, CONTEXT.optional()]), params);
      const bank = node.bankOf(config);
      const { mint, amount } = tokenAccountAt(readAt(bank)(key));
      return inContext(bank, uiTokenAmount(amount, mintAt(readAt(bank)(mint)).decimals));
    },
    getTokenSupply: (params) => {
      const [key, config] = parseParams(z.tuple([ADDRESS, CONTEXT.optional()]), params);
      const bank = node.bankOf(config);
      const { supply, decimals } = mintAt(readAt(bank)(key));
      return inContext(bank, uiTokenAmount(supply, decimals));
    },
    getTokenAccountsByOwner: (params) => {
      const schema = z.tuple([ADDRESS, OWNER_FILTER, ACCOUNT_CONFIG.optional()]);
      const [owner, filter, config] = parseParams(schema, params);
      const bank = node.bankOf(config);
      const isWanted = filterOf(filter, readAt(bank));
      const found = [...state.tokenAccountsOf(owner)].flatMap((key) => {
        const account = readAt(bank)(key);
        const token = tokenAccountOf(account);
        if (account === null || token?.owner !== owner || !isWanted(account, token)) return [];
        return [{ account: answerAt(bank, account, config), pubkey: addressOf(key) }];
      });
      return inContext(bank, found);
    },
    getMinimumBalanceForRentExemption: (params) => {
      const [bytes, config] = parseParams(z.tuple([SLOT, CONTEXT.optional()]), params);
      node.bankOf(config);
      if (bytes > DATA_BYTES_MAX) throw invalidParams(`Data length ${bytes} exceeds ${DATA_BYTES_MAX} bytes.`);
      return state.rentExemption(bytes);
    },
  };
}

type Filter = (account: StoredAccount, token: TokenAccount) => boolean;

function filterOf(filter: z.infer<typeof OWNER_FILTER>, read: (key: AccountKey) => StoredAccount | null): Filter {
  if ('mint' in filter) {
    const mint = read(filter.mint);
    if (mint === null) throw invalidParams('Invalid param: could not find mint');
    if (!TOKEN_PROGRAMS.has(mint.owner)) throw invalidParams('Invalid param: not a Token mint');
    return (_account, token) => token.mint === filter.mint;
  }
  if (!TOKEN_PROGRAMS.has(filter.programId)) throw invalidParams('Invalid param: unrecognized Token program id');
  return (account) => account.owner === filter.programId;
}

const tokenAccountOf = (account: StoredAccount | null): TokenAccount | null =>
  account === null || !TOKEN_PROGRAMS.has(account.owner) ? null : readTokenAccount(account.data);

function tokenAccountAt(account: StoredAccount | null): TokenAccount {
  if (account === null) throw invalidParams('Invalid param: could not find account');
  const token = tokenAccountOf(account);
  if (token === null) throw invalidParams('Invalid param: not a Token account');
  return token;
}

function mintAt(account: StoredAccount | null): Mint {
  if (account === null) throw invalidParams('Invalid param: could not find mint');
  const mint = TOKEN_PROGRAMS.has(account.owner) ? readMint(account.data) : null;
  if (mint === null) throw invalidParams('Invalid param: not a Token mint');
  return mint;
}
