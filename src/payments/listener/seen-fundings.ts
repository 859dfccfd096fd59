import { NATIVE_COIN, SELF_PAYING_FAMILIES } from '../../domain/network.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { DepositRow } from './deposit-writer.sql.js';
import { findFundingWallet, findPayments } from './seen-fundings.sql.js';

/** Transfers by what they are to the books. */
interface SeparatedTransfers {
  readonly deposits: readonly DepositRow[];
  /** Coins that the hot wallet sent to deposit addresses, so that they can pay for their sweeps. */
  readonly fundings: readonly DepositRow[];
}

/**
 * Separates the transfers of the hot wallet itself from deposits. Its address decides, and not that a funding is recorded: a
 * database that was restored does not know the newest. Only a recorded withdrawal or refund to one of our addresses is a
 * deposit there. Joins the transaction.
 */
export async function separateFundings(
  tx: Tx,
  chainRef: string,
  transfers: readonly DepositRow[],
): Promise<SeparatedTransfers> {
  const isCoin = (row: DepositRow): boolean => row.tokenContract === NATIVE_COIN;
  if (!transfers.some(isCoin)) return { deposits: transfers, fundings: [] };
  const [wallet] = await rows(tx, findFundingWallet(chainRef, SELF_PAYING_FAMILIES));
  if (wallet === undefined) return { deposits: transfers, fundings: [] };
  const sent = transfers.filter((row) => isCoin(row) && row.from === wallet.addressKey);
  if (sent.length === 0) return { deposits: transfers, fundings: [] };
  const payments = await rows(tx, findPayments(chainRef, sent));
  const paid = new Set(payments.map(({ txHash }) => txHash));
  const fundings = new Set(sent.filter(({ txHash }) => txHash === null || !paid.has(txHash)));
  const isFunding = (row: DepositRow): boolean => fundings.has(row);
  return {
    deposits: transfers.filter((row) => !isFunding(row)),
    fundings: transfers.filter(isFunding),
  };
}
