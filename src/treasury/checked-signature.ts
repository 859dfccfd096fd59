import { readTransferCall } from '../domain/transfer-call.js';
import type {
  EvmTransactionFields,
  SignedEvmAuthorization,
  SignedEvmTransaction,
  UnsignedEvmTransaction,
} from '../vault/evm-transaction.js';
import { checkSigned, SignedMismatch } from '../vault/signed-check.js';
import type { Vault } from '../vault/vault.js';
import type { LockedWallet } from './locked-wallet.js';
import type { CallOrder, StandingOrder } from './standing-order.js';

/** What was signed, as it was asked for and as bytes. */
export interface CheckedSignature {
  readonly unsigned: UnsignedEvmTransaction;
  readonly signed: SignedEvmTransaction;
}

/**
 * Has the vault sign, and believes nothing: the bytes are decoded again and compared with what was asked, the call in them
 * with what was ordered, and every authorization with the address that has to give it. Signing the same order again gives
 * the same authorizations, so a replacement carries those of the attempt before it.
 * @throws SignedMismatch
 */
export async function signChecked(
  vault: Vault,
  wallet: LockedWallet,
  fields: EvmTransactionFields,
  order: StandingOrder,
): Promise<CheckedSignature> {
  const key = { kind: 'hot_wallet', network: wallet.network } as const;
  const unsigned = { ...fields, authorizations: await authorizationsOf(vault, wallet, order) };
  const signed = await vault.signEvm(wallet.environment, key, unsigned);
  checkSigned(signed, { ...fields, sender: wallet.addressKey, authorizations: expectedFrom(order) });
  if (!isOrdered(fields, order)) throw new SignedMismatch('data');
  return { unsigned, signed };
}

function isOrdered(fields: EvmTransactionFields, order: StandingOrder): boolean {
  if (order.kind === 'call') {
    return fields.to.toLowerCase() === order.to && fields.data === order.data && fields.value === 0n;
  }
  const paid = readTransferCall(fields);
  return paid?.token === order.token && paid.recipient === order.recipient && paid.amount === order.amount;
}

async function authorizationsOf(
  vault: Vault,
  { environment, chainId }: LockedWallet,
  order: StandingOrder,
): Promise<readonly SignedEvmAuthorization[] | undefined> {
  if (!hasDelegations(order)) return undefined;
  const terms = { chainId: BigInt(chainId), delegate: order.delegate };
  const deposits = order.deposits.map(({ index, nonce }) => ({ index, nonce }));
  return vault.authorizeEvm(environment, terms, deposits);
}

function expectedFrom(order: StandingOrder) {
  if (!hasDelegations(order)) return undefined;
  const { delegate, deposits } = order;
  return deposits.map(({ addressKey: authority, nonce }) => ({ delegate, nonce, authority }));
}

const hasDelegations = (order: StandingOrder): order is CallOrder => order.kind === 'call' && order.deposits.length > 0;
