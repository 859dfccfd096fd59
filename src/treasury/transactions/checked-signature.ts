import { readTransferCall } from '../../chains/evm/transfer-call.js';
import type { Environment } from '../../domain/network.js';
import type {
  EvmTransactionFields,
  SignedEvmAuthorization,
  SignedEvmTransaction,
  UnsignedEvmTransaction,
} from '../../chains/evm/evm-transaction.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { checkAuthorization, checkSigned } from '../../vault/signed-check.js';
import type { Vault } from '../../vault/vault.js';
import type { EvmWallet } from '../wallets/locked-wallet.js';
import type { SignableTransaction, SignedVersion } from './signable-transaction.js';
import type { CallOrder, NonceOrder } from './transaction-order.js';
import { evmKey } from '../../domain/evm-address.js';

/** Authorizations that are signed and checked before other work gets a turn on the vault and this thread. */
const AT_A_TIME = 25;

/** Checked authorizations by the address (lower case) that signed each. */
export type Authorizations = ReadonlyMap<string, SignedEvmAuthorization>;

/** The authorizations of an order without delegations. */
export const NO_AUTHORIZATIONS: Authorizations = new Map();

/**
 * Signs and checks the delegations of an order's addresses. This takes long and depends on immutable rows, so it runs
 * before the wallet is locked. The same order always yields the same bytes, so a replacement carries the authorizations
 * of its earlier attempt.
 * @throws SignedMismatch
 */
export async function signAuthorizations(
  vault: Vault,
  chain: { readonly environment: Environment; readonly chainId: bigint },
  { delegate, deposits }: CallOrder,
): Promise<Authorizations> {
  const { environment, chainId } = chain;
  const authorizations = new Map<string, SignedEvmAuthorization>();
  for (let from = 0; from < deposits.length; from += AT_A_TIME) {
    const some = deposits.slice(from, from + AT_A_TIME);
    const asked = some.map(({ index, nonce }) => ({ index, nonce }));
    const signed = await vault.authorizeEvm(environment, { chainId, delegate }, asked);
    for (const [place, { addressKey, nonce }] of some.entries()) {
      const authorization = signed[place];
      if (authorization === undefined) throw new SignedMismatch('authorizations');
      checkAuthorization(authorization, { chainId, delegate, nonce, authority: addressKey });
      authorizations.set(addressKey, authorization);
    }
  }
  return authorizations;
}

/** A transaction of an EVM network to sign for an order. */
export interface EvmDraft {
  readonly fields: EvmTransactionFields;
  readonly order: NonceOrder;
  readonly authorizations: Authorizations;
}

/**
 * Signs with the vault and checks the result: the bytes are decoded and compared with the requested fields, the call
 * with the order, and the authorizations with the checked ones.
 * @throws SignedMismatch
 */
async function signChecked(
  vault: Vault,
  wallet: EvmWallet,
  { fields, order, authorizations }: EvmDraft,
): Promise<SignedVersion> {
  const key = { kind: 'hot_wallet', network: wallet.network } as const;
  const carried = carriedBy(order, authorizations);
  const unsigned = { ...fields, authorizations: carried };
  const signed = await vault.signEvm(wallet.environment, key, unsigned);
  checkSigned(signed, { ...fields, sender: wallet.addressKey, authorizations: carried });
  if (!isOrdered(fields, order)) throw new SignedMismatch('data');
  return evmVersion(unsigned, signed);
}

/** Returns a transaction of an EVM network that `wallet` signs for an order. */
export const evmSignable = (wallet: EvmWallet, draft: EvmDraft): SignableTransaction => ({
  sign: (vault) => signChecked(vault, wallet, draft),
});

/** Returns a signed transaction of an EVM network as it is stored. */
export function evmVersion(unsigned: UnsignedEvmTransaction, { hash, raw }: SignedEvmTransaction): SignedVersion {
  const { nonce, to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = unsigned;
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const call = { nonce, destination: evmKey(to), value, data, gasLimit };
  return { txHash: hash, raw, fields: fieldsOf(unsigned), ...call, ...fees, expiry: null };
}

function fieldsOf(unsigned: UnsignedEvmTransaction): string {
  const { authorizations, ...fields } = unsigned;
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return JSON.stringify({ ...Object.fromEntries(texts), ...(authorizations && { authorizations }) });
}

function isOrdered(fields: EvmTransactionFields, order: NonceOrder): boolean {
  if (order.kind === 'call') {
    return evmKey(fields.to) === order.to && fields.data === order.data && fields.value === 0n;
  }
  const paid = readTransferCall(fields);
  return paid?.token === order.token && paid.recipient === order.recipient && paid.amount === order.amount;
}

/** Returns the authorizations of the order, in its order; undefined when it needs none, as the transaction expects. */
function carriedBy(order: NonceOrder, authorizations: Authorizations): SignedEvmAuthorization[] | undefined {
  if (order.kind !== 'call' || order.deposits.length === 0) return undefined;
  return order.deposits.map(({ addressKey, nonce }) => {
    const authorization = authorizations.get(addressKey);
    const isAsked = authorization?.nonce === nonce && evmKey(authorization.delegate) === order.delegate;
    if (authorization === undefined || !isAsked)
      throw new Error(`The authorization of ${addressKey} does not match the order.`);
    return authorization;
  });
}
