import { z } from 'zod';
import { addressOf, base58Of, hexOf, type AccountKey } from './account-key.js';
import type { StoredAccount } from './account-versions.js';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS } from './programs.js';
import { invalidRequest } from './rpc-error.js';
import { CONTEXT_FIELDS, SLOT } from './rpc-params.js';
import { uiTokenAmount } from './token-amount.js';
import { readMint, readTokenAccount } from './token-layout.js';

/** Agave `MAX_BASE58_BYTES`. */
const BASE58_BYTES_MAX = 128;
/** No account pays rent. */
const RENT_EPOCH = 2n ** 64n - 1n;

export const ACCOUNT_ENCODING = z.enum(['base58', 'base64', 'jsonParsed']);

export const ACCOUNT_CONFIG = z
  .object({
    ...CONTEXT_FIELDS,
    encoding: ACCOUNT_ENCODING.nullish(),
    dataSlice: z.object({ offset: SLOT, length: SLOT }).nullish(),
  })
  .nullish();

type AccountConfig = z.infer<typeof ACCOUNT_CONFIG>;
/** Reads another account as of the same block. */
type ReadAccount = (key: AccountKey) => StoredAccount | null;

/** Returns an account as `getAccountInfo` answers it. @throws RpcError -32600 for data too long for base58 */
export function accountAnswer(account: StoredAccount, config: AccountConfig, read: ReadAccount): object {
  return {
    data: dataAnswer(account, config, read),
    executable: account.executable,
    lamports: account.lamports,
    owner: addressOf(account.owner),
    rentEpoch: RENT_EPOCH,
    space: account.data.length,
  };
}

function dataAnswer(account: StoredAccount, config: AccountConfig, read: ReadAccount): unknown {
  const encoding = config?.encoding ?? null;
  if (encoding === 'jsonParsed') {
    const parsed = parsedAccount(account, read);
    if (parsed !== null) return parsed;
  }
  const slice = config?.dataSlice ?? null;
  const data = slice === null ? account.data : account.data.subarray(slice.offset, slice.offset + slice.length);
  if (encoding === 'base64' || encoding === 'jsonParsed') return [Buffer.from(data).toString('base64'), 'base64'];
  if (encoding === null) {
    return data.length > BASE58_BYTES_MAX ? 'error: data too large for bs58 encoding' : base58Of(hexOf(data));
  }
  if (data.length > BASE58_BYTES_MAX) {
    const limit = `Encoded binary (base 58) data should be less than ${BASE58_BYTES_MAX} bytes`;
    throw invalidRequest(`${limit}, please use Base64 encoding.`);
  }
  return [base58Of(hexOf(data)), encoding];
}

/** Token accounts and mints are parsed; other accounts are answered in base64, as a node does without a parser. */
function parsedAccount({ owner, data }: StoredAccount, read: ReadAccount): object | null {
  if (!TOKEN_PROGRAMS.has(owner)) return null;
  const info = tokenAccountInfo(data, read);
  const mint = info === null ? mintInfo(data) : null;
  if (info === null && mint === null) return null;
  const parsed = info === null ? { info: mint, type: 'mint' } : { info, type: 'account' };
  return { parsed, program: owner === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022', space: data.length };
}

function tokenAccountInfo(data: Uint8Array, read: ReadAccount): object | null {
  const token = readTokenAccount(data);
  const mint = token === null ? null : readMint(read(token.mint)?.data ?? new Uint8Array());
  if (token === null || mint === null) return null;
  const amount = (units: bigint): object => uiTokenAmount(units, mint.decimals);
  return {
    isNative: token.nativeReserve !== null,
    mint: addressOf(token.mint),
    owner: addressOf(token.owner),
    state: token.state,
    tokenAmount: amount(token.amount),
    ...(token.delegate !== null && {
      delegate: addressOf(token.delegate),
      delegatedAmount: amount(token.delegatedAmount),
    }),
    ...(token.closeAuthority !== null && { closeAuthority: addressOf(token.closeAuthority) }),
    ...(token.nativeReserve !== null && { rentExemptReserve: amount(token.nativeReserve) }),
  };
}

function mintInfo(data: Uint8Array): object | null {
  const mint = readMint(data);
  if (mint === null) return null;
  const shown = (key: AccountKey | null): string | null => (key === null ? null : addressOf(key));
  return {
    decimals: mint.decimals,
    freezeAuthority: shown(mint.freezeAuthority),
    isInitialized: true,
    mintAuthority: shown(mint.mintAuthority),
    supply: mint.supply.toString(),
  };
}
